import type { Migration, Reader, Transaction } from '@clockproof/platform/database/database';

export interface CompanyRow {
  readonly id: number;
  readonly name: string;
  /** IANA name; dates of this company are dates on its wall clock. */
  readonly time_zone: string;
  /** ISO 3166-1 alpha-2 */
  readonly country: string;
  /** ISO 3166-2, `DE-HH`: decides regional holidays. */
  readonly region: string | null;
  readonly active: 0 | 1;
  readonly updated_at: number;
}

export interface DepartmentRow { readonly id: number; readonly company_id: number; readonly name: string }

export interface PersonRow {
  readonly id: number;
  readonly company_id: number;
  readonly personnel_number: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string | null;
  readonly department_id: number | null;
  readonly department_name: string | null;
  readonly role: 'employee' | 'approver' | 'company_admin' | 'super_admin';
  readonly language: string;
  readonly active: 0 | 1;
  readonly employment_start: string | null;
  /** Last day of employment. */
  readonly employment_end: string | null;
  readonly updated_at: number;
  /** Position in the order of commit of its last change. */
  readonly changed: number;
  readonly time_zone: string;
  /** Country and region of the company: they decide working-time rules and holidays. */
  readonly country: string;
  readonly region: string | null;
  readonly company_name: string;
  readonly company_active: 0 | 1;
}

export const peopleMigrations: readonly Migration[] = [{
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
}];

const personColumns = `p.*, d.name AS department_name, c.time_zone, c.country, c.region, c.name AS company_name, c.active AS company_active
  FROM people p JOIN companies c ON c.id = p.company_id LEFT JOIN departments d ON d.id = p.department_id`;

/** A person, seen by a caller who may see `companyId` only; null means every company. */
export function findPerson(reader: Reader, id: number, companyId: number | null): Promise<PersonRow | undefined> {
  return companyId === null
    ? reader.get<PersonRow>(`SELECT ${personColumns} WHERE p.id = :id`, { id })
    : reader.get<PersonRow>(`SELECT ${personColumns} WHERE p.id = :id AND p.company_id = :companyId`, { id, companyId });
}

export interface PeopleFilter {
  readonly companyId: number | null;
  readonly active: boolean | undefined;
  readonly afterId: number;
  readonly limit: number;
}

export function listPeople(reader: Reader, { companyId, active, afterId, limit }: PeopleFilter): Promise<PersonRow[]> {
  return reader.all<PersonRow>(
    `SELECT ${personColumns} WHERE p.id > :afterId
      ${companyId === null ? '' : 'AND p.company_id = :companyId'} ${active === undefined ? '' : 'AND p.active = :active'}
     ORDER BY p.id LIMIT :limit`,
    { afterId, limit, companyId, active: active === false ? 0 : 1 },
  );
}

/** People changed after a position in the order of commit, up to another one. */
export function listPeopleChanged(reader: Reader, { companyId, active, after, upTo, since, limit }: {
  readonly companyId: number | null; readonly active: boolean | undefined; readonly after: number; readonly upTo: number; readonly since: number; readonly limit: number;
}): Promise<PersonRow[]> {
  return reader.all<PersonRow>(
    `SELECT ${personColumns} WHERE p.changed > :after AND p.changed <= :upTo AND p.updated_at >= :since
      ${companyId === null ? '' : 'AND p.company_id = :companyId'} ${active === undefined ? '' : 'AND p.active = :active'}
     ORDER BY p.changed, p.id LIMIT :limit`,
    { after, upTo, since, limit, companyId, active: active === false ? 0 : 1 },
  );
}

export function listCompanies(reader: Reader, companyId: number | null, afterId: number, limit: number): Promise<CompanyRow[]> {
  return companyId === null
    ? reader.all<CompanyRow>('SELECT * FROM companies WHERE id > :afterId ORDER BY id LIMIT :limit', { afterId, limit })
    : reader.all<CompanyRow>('SELECT * FROM companies WHERE id = :companyId AND id > :afterId ORDER BY id LIMIT :limit', { companyId, afterId, limit });
}

export function listDepartments(reader: Reader, fromCompany: number, toCompany: number): Promise<DepartmentRow[]> {
  return reader.all<DepartmentRow>('SELECT * FROM departments WHERE company_id >= :fromCompany AND company_id <= :toCompany ORDER BY company_id, id', { fromCompany, toCompany });
}

export function insertCompany(tx: Transaction, row: Omit<CompanyRow, 'id' | 'active'>): Promise<number> {
  return insertedId(tx, 'INSERT INTO companies (name, time_zone, country, region, updated_at) VALUES (:name, :time_zone, :country, :region, :updated_at) RETURNING id', { ...row });
}

export function insertDepartment(tx: Transaction, companyId: number, name: string): Promise<number> {
  return insertedId(tx, 'INSERT INTO departments (company_id, name) VALUES (:companyId, :name) RETURNING id', { companyId, name });
}

export type NewPersonRow = Pick<PersonRow, 'company_id' | 'personnel_number' | 'first_name' | 'last_name' | 'email' | 'department_id' | 'role' | 'language' | 'employment_start' | 'employment_end' | 'updated_at' | 'changed'>;

export function insertPerson(tx: Transaction, row: NewPersonRow): Promise<number> {
  return insertedId(tx,
    `INSERT INTO people (company_id, personnel_number, first_name, last_name, email, department_id, role, language, employment_start, employment_end, updated_at, changed)
     VALUES (:company_id, :personnel_number, :first_name, :last_name, :email, :department_id, :role, :language, :employment_start, :employment_end, :updated_at, :changed) RETURNING id`,
    { ...row });
}

async function insertedId(tx: Transaction, sql: string, parameters: Parameters<Transaction['get']>[1]): Promise<number> {
  return (await tx.get<{ id: number }>(sql, parameters))!.id;
}
