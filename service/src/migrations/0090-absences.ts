import type { Migration } from '@clockproof/platform/database/database';

export const absences: Migration = {
  id: '0090-absences',
  statements: (d) => [
    `CREATE TABLE absence_types (
      company_id ${d.integer} NOT NULL REFERENCES companies (id), key TEXT NOT NULL, label_de TEXT NOT NULL, label_en TEXT NOT NULL, half_day ${d.integer} NOT NULL,
      requires_approval ${d.integer} NOT NULL, counts_as_vacation ${d.integer} NOT NULL, overlap_class TEXT NOT NULL, target TEXT NOT NULL, active ${d.integer} NOT NULL,
      PRIMARY KEY (company_id, key))`,
    // One row a person who ever had an absence: the lock that makes writes about one person's absences run one after
    // the other.
    `CREATE TABLE absence_ledgers (person_id ${d.integer} PRIMARY KEY REFERENCES people (id), approval TEXT NOT NULL DEFAULT 'by_type')`,
    `CREATE TABLE absences (
      id ${d.identity}, company_id ${d.integer} NOT NULL REFERENCES companies (id), person_id ${d.integer} NOT NULL REFERENCES people (id), type TEXT NOT NULL,
      start_date TEXT NOT NULL, end_date TEXT NOT NULL, half_day TEXT, half_days ${d.integer} NOT NULL, comment TEXT, status TEXT NOT NULL,
      extension_id TEXT REFERENCES extensions (id), external_id TEXT, author_kind TEXT NOT NULL, author_person_id ${d.integer}, author_name TEXT,
      created_at ${d.integer} NOT NULL, updated_at ${d.integer} NOT NULL, changed ${d.integer} NOT NULL,
      CHECK (end_date >= start_date), CHECK (half_day IS NULL OR start_date = end_date))`,
    'CREATE UNIQUE INDEX absences_external_id ON absences (extension_id, person_id, external_id) WHERE external_id IS NOT NULL',
    'CREATE INDEX absences_by_person ON absences (person_id, start_date, id)',
    'CREATE INDEX absences_by_company ON absences (company_id, start_date, id)',
    'CREATE INDEX absences_by_start ON absences (start_date, id)',
    'CREATE INDEX absences_by_change ON absences (changed)',
    `CREATE TABLE vacation_entitlements (
      person_id ${d.integer} NOT NULL REFERENCES people (id), year ${d.integer} NOT NULL, half_days ${d.integer} NOT NULL, carried_half_days ${d.integer} NOT NULL, carried_until TEXT,
      PRIMARY KEY (person_id, year))`,
    `CREATE TABLE vacation_policies (company_id ${d.integer} PRIMARY KEY REFERENCES companies (id), half_days ${d.integer} NOT NULL, carry_until TEXT)`,
  ],
};
