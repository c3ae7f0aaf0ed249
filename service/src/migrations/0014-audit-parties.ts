import type { Migration } from '@clockproof/platform/database/database';

export const auditParties: Migration = {
  id: '0014-audit-parties',
  statements: (d) => [
    // Beside the log, whose rows never change: whom an entry concerns, see parties.ts. An entry of before is filled
    // in from what it says.
    `CREATE TABLE audit_parties (party TEXT NOT NULL, sequence ${d.integer} NOT NULL, PRIMARY KEY (party, sequence))`,
    `INSERT INTO audit_parties (party, sequence)
       SELECT 'person ' || actor_id, sequence FROM audit_entries WHERE actor_kind = 'person' AND actor_id IS NOT NULL
       UNION SELECT subject, sequence FROM audit_entries WHERE substr(subject, 1, 7) = 'person '
       UNION SELECT 'person ' || ${d.jsonMember('details', 'person')}, sequence FROM audit_entries WHERE ${d.jsonMember('details', 'person')} IS NOT NULL
       UNION SELECT 'extension ' || actor_id, sequence FROM audit_entries WHERE actor_kind = 'extension' AND actor_id IS NOT NULL
       UNION SELECT 'extension ' || ${d.jsonMember('details', 'extension')}, sequence FROM audit_entries WHERE actor_kind = 'personal_link' AND ${d.jsonMember('details', 'extension')} IS NOT NULL`,
    'CREATE INDEX audit_parties_by_entry ON audit_parties (sequence)',
    ...d.appendOnly('audit_parties'),
  ],
};
