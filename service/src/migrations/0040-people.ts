import type { Migration } from '@clockproof/platform/database/database';

export const people: Migration = {
  id: '0040-people',
  statements: (d) => [
    `CREATE TABLE companies (
      id ${d.identity}, name TEXT NOT NULL, time_zone TEXT NOT NULL, country TEXT NOT NULL, region TEXT, active ${d.integer} NOT NULL DEFAULT 1, updated_at ${d.integer} NOT NULL)`,
    `CREATE TABLE departments (id ${d.identity}, company_id ${d.integer} NOT NULL REFERENCES companies (id), name TEXT NOT NULL, UNIQUE (company_id, name))`,
    `CREATE TABLE people (
      id ${d.identity}, company_id ${d.integer} NOT NULL REFERENCES companies (id), personnel_number TEXT, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email TEXT,
      department_id ${d.integer} REFERENCES departments (id), role TEXT NOT NULL, language TEXT NOT NULL, active ${d.integer} NOT NULL DEFAULT 1,
      employment_start TEXT, employment_end TEXT, updated_at ${d.integer} NOT NULL, changed ${d.integer} NOT NULL)`,
    'CREATE UNIQUE INDEX people_email ON people (email) WHERE email IS NOT NULL',
    'CREATE INDEX people_by_company ON people (company_id, id)',
    'CREATE INDEX people_by_change ON people (changed)',
  ],
};
