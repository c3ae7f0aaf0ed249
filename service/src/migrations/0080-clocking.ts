import type { Migration } from '@clockproof/platform/database/database';

export const clocking: Migration = {
  id: '0080-clocking',
  statements: (d) => [
    `CREATE TABLE time_entries (
      id ${d.identity}, company_id ${d.integer} NOT NULL REFERENCES companies (id), person_id ${d.integer} NOT NULL REFERENCES people (id), date TEXT NOT NULL,
      start_at ${d.integer} NOT NULL, end_at ${d.integer}, breaks TEXT NOT NULL, status TEXT NOT NULL, source_kind TEXT NOT NULL, source_id TEXT, source_name TEXT, proof TEXT, comment TEXT,
      created_at ${d.integer} NOT NULL, updated_at ${d.integer} NOT NULL, changed ${d.integer} NOT NULL,
      CHECK ((status = 'open') = (end_at IS NULL)), CHECK (end_at IS NULL OR end_at >= start_at))`,
    // The promise of the clock: one open entry a person, whoever races.
    "CREATE UNIQUE INDEX one_open_entry ON time_entries (person_id) WHERE status = 'open'",
    'CREATE INDEX entries_by_company_date ON time_entries (company_id, date, id)',
    'CREATE INDEX entries_by_person_date ON time_entries (person_id, date, id)',
    'CREATE INDEX entries_by_date ON time_entries (date, id)',
    'CREATE INDEX entries_by_change ON time_entries (changed)',
    'CREATE INDEX entries_by_company_change ON time_entries (company_id, changed)',
    'CREATE INDEX entries_by_person_change ON time_entries (person_id, changed)',
    `CREATE TABLE clock_states (
      person_id ${d.integer} PRIMARY KEY REFERENCES people (id), company_id ${d.integer} NOT NULL, state TEXT NOT NULL, since ${d.integer}, break_since ${d.integer},
      source_kind TEXT, source_id TEXT, source_name TEXT, updated_at ${d.integer} NOT NULL)`,
    'CREATE INDEX clock_states_by_company ON clock_states (company_id, person_id)',
  ],
};
