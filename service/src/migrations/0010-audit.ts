import type { Migration } from '@clockproof/platform/database/database';

export const audit: Migration = {
  id: '0010-audit',
  statements: (d) => [
    `CREATE TABLE audit_entries (
      sequence ${d.integer} PRIMARY KEY, at ${d.integer} NOT NULL, company_id ${d.integer}, actor_kind TEXT NOT NULL, actor_id TEXT, actor_name TEXT,
      action TEXT NOT NULL, subject TEXT, details TEXT, hash TEXT NOT NULL)`,
    'CREATE INDEX audit_by_company ON audit_entries (company_id, sequence)',
    // One row: the newest entry. Locked while an entry is appended, so that entries are numbered in the order of
    // commit, without gaps.
    `CREATE TABLE audit_head (one ${d.integer} PRIMARY KEY CHECK (one = 1), sequence ${d.integer} NOT NULL, hash TEXT NOT NULL)`,
    `INSERT INTO audit_head (one, sequence, hash) VALUES (1, 0, '${'0'.repeat(64)}')`,
    ...d.appendOnly('audit_entries'),
  ],
};
