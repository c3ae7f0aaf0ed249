import type { Migration } from '@clockproof/platform/database/database';

export const events: Migration = {
  id: '0020-events',
  statements: (d) => [
    `CREATE TABLE event_head (one ${d.integer} PRIMARY KEY CHECK (one = 1), sequence ${d.integer} NOT NULL)`,
    'INSERT INTO event_head (one, sequence) VALUES (1, 0)',
    `CREATE TABLE events (
      sequence ${d.integer} PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL, at ${d.integer} NOT NULL, company_id ${d.integer} NOT NULL, person_id ${d.integer}, payload TEXT NOT NULL)`,
    'CREATE INDEX events_by_company ON events (company_id, sequence)',
  ],
};
