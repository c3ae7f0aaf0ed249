import type { Migration } from '@clockproof/platform/database/database';

/**
 * An audit entry carries the hashes of the records that its write stored, and a signature over a head that its writer
 * saw. Entries of earlier versions have neither. `record_salt` goes into the hash of a person's records, so that
 * nothing can be guessed from a hash once the person is erased.
 */
export const records: Migration = {
  id: '0510-records',
  statements: (d) => [
    'ALTER TABLE audit_entries ADD COLUMN records TEXT',
    `ALTER TABLE audit_entries ADD COLUMN anchor ${d.integer}`,
    'ALTER TABLE audit_entries ADD COLUMN signature TEXT',
    `ALTER TABLE audit_head ADD COLUMN adopt_at ${d.integer}`,
    `ALTER TABLE audit_head ADD COLUMN adopted_from ${d.integer}`,
    `ALTER TABLE audit_head ADD COLUMN signed_from ${d.integer}`,
    "ALTER TABLE people ADD COLUMN record_salt TEXT NOT NULL DEFAULT ''",
    `UPDATE people SET record_salt = ${d.randomHex}`,
  ],
};
