import type { Migration } from '@clockproof/platform/database/database';

export const auditByActor: Migration = {
  id: '0012-audit-by-actor',
  statements: () => [
    'CREATE INDEX audit_by_actor ON audit_entries (actor_kind, actor_id, sequence)',
    'CREATE INDEX audit_by_time ON audit_entries (at)',
  ],
};
