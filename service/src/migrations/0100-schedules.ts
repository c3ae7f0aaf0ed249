import type { Migration } from '@clockproof/platform/database/database';

export const schedules: Migration = {
  id: '0100-schedules',
  statements: (d) => [
    `CREATE TABLE schedules (
      id ${d.identity}, company_id ${d.integer} NOT NULL REFERENCES companies (id), person_id ${d.integer} REFERENCES people (id), valid_from TEXT NOT NULL, week TEXT NOT NULL)`,
    'CREATE UNIQUE INDEX schedules_of_person ON schedules (person_id, valid_from) WHERE person_id IS NOT NULL',
    'CREATE UNIQUE INDEX schedules_of_company ON schedules (company_id, valid_from) WHERE person_id IS NULL',
    'CREATE INDEX schedules_by_company ON schedules (company_id, person_id)',
  ],
};
