import type { Migration } from '@clockproof/platform/database/database';

export const rolesAndBalancesOfPeople: Migration = {
  id: '0102-roles-and-balances-of-people',
  statements: (d) => [
    `CREATE TABLE role_grants (
      person_id ${d.integer} NOT NULL REFERENCES people (id), role TEXT NOT NULL, company_id ${d.integer} REFERENCES companies (id), department_id ${d.integer} REFERENCES departments (id))`,
    'CREATE INDEX grants_by_person ON role_grants (person_id)',
    'CREATE INDEX grants_by_company ON role_grants (company_id, role)',
    // Until now the role stood at the person, an approver's in the person's own department.
    `INSERT INTO role_grants (person_id, role, company_id, department_id)
     SELECT id, role, CASE WHEN role = 'super_admin' THEN NULL ELSE company_id END, CASE WHEN role = 'approver' THEN department_id END FROM people WHERE role <> 'employee'`,
    "ALTER TABLE people ADD COLUMN kept_from TEXT NOT NULL DEFAULT '2026-01-01'",
    'UPDATE people SET kept_from = employment_start WHERE employment_start IS NOT NULL',
    'ALTER TABLE people ADD COLUMN own_time_zone TEXT',
    `ALTER TABLE people ADD COLUMN opening_minutes ${d.integer} NOT NULL DEFAULT 0`,
    'ALTER TABLE companies ADD COLUMN deducts_breaks_from TEXT',
    'CREATE UNIQUE INDEX people_personnel_number ON people (company_id, personnel_number) WHERE personnel_number IS NOT NULL',
    'CREATE INDEX people_by_department ON people (department_id)',
  ],
};
