import type { Migration } from '@clockproof/platform/database/database';

export const corrections: Migration = {
  id: '0107-corrections',
  statements: (d) => [
    `CREATE TABLE corrections (
      id ${d.identity}, company_id ${d.integer} NOT NULL REFERENCES companies (id), person_id ${d.integer} NOT NULL REFERENCES people (id), entry_id ${d.integer}, remove ${d.integer} NOT NULL,
      start_at ${d.integer}, end_at ${d.integer}, breaks TEXT, reason TEXT NOT NULL, status TEXT NOT NULL, requested_by ${d.integer} NOT NULL, requested_at ${d.integer} NOT NULL,
      decided_by ${d.integer}, decided_at ${d.integer}, decision_reason TEXT,
      CHECK ((remove = 1) = (start_at IS NULL)), CHECK ((start_at IS NULL) = (end_at IS NULL)), CHECK (end_at > start_at), CHECK (remove = 0 OR entry_id IS NOT NULL))`,
    'CREATE INDEX corrections_by_person ON corrections (person_id, id)',
    `CREATE TABLE entry_versions (
      entry_id ${d.integer} NOT NULL, version ${d.integer} NOT NULL, person_id ${d.integer} NOT NULL REFERENCES people (id), at ${d.integer} NOT NULL, changed_by ${d.integer}, source_name TEXT,
      change TEXT NOT NULL, reason TEXT, date TEXT NOT NULL, start_at ${d.integer} NOT NULL, end_at ${d.integer}, breaks TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (entry_id, version))`,
    'CREATE INDEX entry_versions_by_person ON entry_versions (person_id)',
  ],
};
