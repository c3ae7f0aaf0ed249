import type { Migration } from '@clockproof/platform/database/database';

/**
 * What a change of a person changed, with the values before and after. The audit log is append-only, so it only has the
 * hash of this row: erasing the person removes the values and leaves the log as it is.
 */
export const personChanges: Migration = {
  id: '0520-person-changes',
  statements: (d) => [
    `CREATE TABLE person_changes (
      id ${d.identity},
      person_id ${d.integer} NOT NULL REFERENCES people (id),
      at ${d.integer} NOT NULL,
      changes TEXT NOT NULL)`,
    'CREATE INDEX person_changes_by_person ON person_changes (person_id)',
  ],
};
