import type { Migration } from '@clockproof/platform/database/database';

/** What the service tells people about, once to each. */
export const notices: Migration = {
  id: '0550-notices',
  statements: (d) => [
    `CREATE TABLE notices (
      id ${d.identity},
      person_id ${d.integer} NOT NULL REFERENCES people (id),
      kind TEXT NOT NULL,
      facts TEXT NOT NULL,
      at ${d.integer} NOT NULL,
      read_at ${d.integer})`,
    'CREATE INDEX notices_of_person ON notices (person_id, id)',
    'CREATE INDEX notices_unread ON notices (person_id) WHERE read_at IS NULL',
    'CREATE INDEX notices_by_age ON notices (at)',
  ],
};
