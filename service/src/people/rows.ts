import type { Reader } from '@clockproof/platform/database/database';
import { comparableName } from '@clockproof/platform/text/name';
import type { Instant } from '@clockproof/platform/time/instant';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { Defaults, PeopleTable, Tables } from '../generated/tables.js';
import { allCompanies } from '../store/every-company.js';
import type { CompanyId, DepartmentId, PersonId } from '../store/ids.js';
import type { Changes } from '../store/position.js';
import { type CompanyScope, type TenantScope, within } from '../store/scope.js';
import { insert, insertReturning, remove, update, type Writing } from '../store/tables.js';
import { searchText, searchWords, sortName } from './sort-name.js';

export type CompanyRow = Tables['companies'];

/** `company_id` null: everywhere. `department_id` null: the whole company. */
export type GrantRow = Tables['role_grants'];
/** A grant before it belongs to a person. */
export type NewGrant = Omit<GrantRow, 'id' | 'person_id'>;

export type DepartmentRow = Tables['departments'];

/** A person with the values of their department and company: the company's time zone and rules apply. */
export interface PersonRow
  extends PeopleTable,
    Pick<
      CompanyRow,
      | 'time_zone'
      | 'country'
      | 'region'
      | 'local_holidays'
      | 'deducts_breaks_from'
      | 'short_rest_branch'
      | 'record_duty'
      | 'new_day_after_hours'
    > {
  readonly department_name: string | null;
  readonly company_name: string;
  readonly company_active: 0 | 1;
}

/** The columns of a {@link PersonRow}, from {@link personTables}. */
export const personColumns =
  'p.*, d.name AS department_name, c.time_zone, c.country, c.region, c.local_holidays, c.deducts_breaks_from, c.short_rest_branch, c.record_duty, c.new_day_after_hours, c.name AS company_name, c.active AS company_active';
export const personTables =
  'people p JOIN companies c ON c.id = p.company_id LEFT JOIN departments d ON d.id = p.department_id';
const selectPerson = `SELECT ${personColumns} FROM ${personTables}`;

/** The columns of {@link personTables} that a scope limits. */
export const personScope = { company: 'p.company_id', person: 'p.id', department: 'p.department_id' } as const;

export function findPerson(reader: Reader, id: PersonId, scope: TenantScope): Promise<PersonRow | undefined> {
  const { sql, parameters } = within(scope, personScope);
  return reader.get<PersonRow>(`${selectPerson} WHERE p.id = :id ${sql}`, { id, ...parameters });
}

/** Locks a company also against writes that keep it active (`forKeyShare`), until the transaction ends. */
export async function lockCompany(tx: Reader, id: CompanyId): Promise<void> {
  await tx.get(`SELECT id FROM companies WHERE id = :id${tx.dialect.forUpdate}`, { id });
}

/** Searches every company: the caller checks access to the result. */
export function findPersonAnywhere(reader: Reader, id: PersonId): Promise<PersonRow | undefined> {
  return findPerson(reader, id, allCompanies);
}

/** For lists of several companies: looks each one up once. */
export function createZoneOf(reader: Reader): (company: CompanyId) => Promise<ZoneName> {
  const zones = new Map<CompanyId, Promise<ZoneName>>();
  return (company) => {
    const zone = zones.get(company) ?? findCompany(reader, company).then((row) => row!.time_zone);
    zones.set(company, zone);
    return zone;
  };
}

export interface PeopleFilter {
  readonly active: boolean | undefined;
  readonly afterId: number;
  readonly limit: number;
}

export function listPeople(
  reader: Reader,
  scope: TenantScope,
  { active, afterId, limit }: PeopleFilter,
): Promise<PersonRow[]> {
  const { sql, parameters } = within(scope, personScope);
  return reader.all<PersonRow>(
    `${selectPerson} WHERE p.id > :afterId ${sql} ${active === undefined ? '' : 'AND p.active = :active'}
     ORDER BY p.id LIMIT :limit`,
    { afterId, limit, ...parameters, active: active === false ? 0 : 1 },
  );
}

/** Everyone in a company or one of its departments, in order; also people who have left. */
export async function listPersonIds(
  reader: Reader,
  companyId: CompanyId,
  departmentId?: DepartmentId,
): Promise<PersonId[]> {
  const rows = await reader.all<{ id: PersonId }>(
    `SELECT id FROM people WHERE company_id = :companyId ${departmentId === undefined ? '' : 'AND department_id = :departmentId'} ORDER BY id`,
    { companyId, departmentId: departmentId ?? null },
  );
  return rows.map(({ id }) => id);
}

/** People changed after a place and up to another one, by place and id. */
export function listPeopleChanged(
  reader: Reader,
  scope: TenantScope,
  { active, after, upTo, since, limit }: Changes & { readonly active: boolean | undefined },
): Promise<PersonRow[]> {
  const { sql, parameters } = within(scope, personScope);
  return reader.all<PersonRow>(
    `${selectPerson} WHERE (p.changed, p.id) > (:changed, :id) AND p.changed <= :upTo AND p.updated_at >= :since
      ${sql} ${active === undefined ? '' : 'AND p.active = :active'}
     ORDER BY p.changed, p.id LIMIT :limit`,
    { ...after, upTo, since, limit, ...parameters, active: active === false ? 0 : 1 },
  );
}

export function listCompanyRows(
  reader: Reader,
  scope: CompanyScope,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<CompanyRow[]> {
  const { sql, parameters } = within(scope, { company: 'id' });
  return reader.all<CompanyRow>(`SELECT * FROM companies WHERE id > :afterId ${sql} ORDER BY id LIMIT :limit`, {
    afterId,
    limit,
    ...parameters,
  });
}

/** Companies changed after a place and up to another one, by place and id. */
export function listCompaniesChanged(
  reader: Reader,
  scope: CompanyScope,
  { after, upTo, since, limit }: Changes,
): Promise<CompanyRow[]> {
  const { sql, parameters } = within(scope, { company: 'id' });
  return reader.all<CompanyRow>(
    `SELECT * FROM companies WHERE (changed, id) > (:changed, :id) AND changed <= :upTo AND updated_at >= :since ${sql}
     ORDER BY changed, id LIMIT :limit`,
    { ...after, upTo, since, limit, ...parameters },
  );
}

/** @param span the first and the last company, if the scope contains more than needed */
export function listDepartments(
  reader: Reader,
  scope: CompanyScope,
  span: { readonly from: number; readonly to: number } = { from: 0, to: Number.MAX_SAFE_INTEGER },
): Promise<DepartmentRow[]> {
  const { sql, parameters } = within(scope, { company: 'company_id' });
  return reader.all<DepartmentRow>(
    `SELECT * FROM departments WHERE company_id >= :from AND company_id <= :to ${sql} ORDER BY company_id, id`,
    { ...span, ...parameters },
  );
}

/** Settings begin with the defaults of their columns. The token has a default too, but each company needs its own. */
export async function insertCompany(
  tx: Writing,
  row: Omit<CompanyRow, Exclude<Defaults['companies'], 'proof_token'>>,
): Promise<CompanyId> {
  return (await insertReturning(tx, 'companies', row)).id;
}

export function findCompany(reader: Reader, id: CompanyId): Promise<CompanyRow | undefined> {
  return reader.get<CompanyRow>('SELECT * FROM companies WHERE id = :id', { id });
}

export async function updateCompany(tx: Writing, row: CompanyRow): Promise<void> {
  const { id, changed, ...columns } = row;
  await update(tx, 'companies', { id }, columns);
}

/** The records of everyone in a company show data of the company that has changed. */
export async function touchPeople(tx: Writing, companyId: CompanyId, updatedAt: Instant): Promise<void> {
  await update(tx, 'people', { company_id: companyId }, { updated_at: updatedAt });
}

export async function touchDepartment(tx: Writing, departmentId: DepartmentId, updatedAt: Instant): Promise<void> {
  await update(tx, 'people', { department_id: departmentId }, { updated_at: updatedAt });
}

export async function touchCompany(tx: Writing, companyId: CompanyId, updatedAt: Instant): Promise<void> {
  await update(tx, 'companies', { id: companyId }, { updated_at: updatedAt });
}

export function findDepartment(
  reader: Reader,
  id: DepartmentId,
  companyId: CompanyId,
): Promise<DepartmentRow | undefined> {
  return reader.get<DepartmentRow>('SELECT * FROM departments WHERE id = :id AND company_id = :companyId', {
    id,
    companyId,
  });
}

/** Names are compared here, not in SQL, because databases fold case differently. A company has few departments. */
export async function findDepartmentByName(
  reader: Reader,
  companyId: CompanyId,
  name: string,
): Promise<DepartmentRow | undefined> {
  const departments = await reader.all<DepartmentRow>('SELECT * FROM departments WHERE company_id = :companyId', {
    companyId,
  });
  return departments.find((department) => comparableName(department.name) === comparableName(name));
}

export async function renameDepartmentRow(tx: Writing, id: DepartmentId, name: string): Promise<void> {
  await update(tx, 'departments', { id }, { name });
}

export async function departmentInUse(reader: Reader, id: DepartmentId): Promise<boolean> {
  return (await reader.get('SELECT 1 AS used FROM people WHERE department_id = :id LIMIT 1', { id })) !== undefined;
}

/** Deletes the department and the approver grants for it. */
export async function deleteDepartmentRow(tx: Writing, id: DepartmentId): Promise<void> {
  await remove(tx, 'role_grants', { department_id: id });
  await remove(tx, 'departments', { id });
}

/** Active people of the departments of a company; those without a department count under null. */
export function countPeopleByDepartment(
  reader: Reader,
  companyId: CompanyId,
): Promise<{ department_id: DepartmentId | null; people: number }[]> {
  return reader.all(
    'SELECT department_id, count(*) AS people FROM people WHERE company_id = :companyId AND active = 1 GROUP BY department_id',
    { companyId },
  );
}

/** Active approvers of a company, with the department of each grant. */
export function listApprovers(
  reader: Reader,
  companyId: CompanyId,
): Promise<{ id: number; first_name: string; last_name: string; department_id: DepartmentId | null }[]> {
  return reader.all(
    `SELECT p.id, p.first_name, p.last_name, g.department_id FROM role_grants g JOIN people p ON p.id = g.person_id
     WHERE g.company_id = :companyId AND g.role = 'approver' AND p.active = 1 ORDER BY p.sort_name, p.id`,
    { companyId },
  );
}

/** The other admins of a person's company who belong to it, as many as an answer names. */
export function listOtherAdmins(
  reader: Reader,
  { id, company_id: companyId }: Pick<PersonRow, 'id' | 'company_id'>,
): Promise<Pick<PersonRow, 'id' | 'first_name' | 'last_name'>[]> {
  return reader.all(
    `SELECT id, first_name, last_name FROM people WHERE company_id = :companyId AND id <> :id AND active = 1
     AND role IN ('company_admin', 'super_admin') ORDER BY sort_name, id LIMIT 100`,
    { id, companyId },
  );
}

export function listGrantRows(reader: Reader, personId: PersonId): Promise<GrantRow[]> {
  return reader.all<GrantRow>(
    'SELECT * FROM role_grants WHERE person_id = :personId ORDER BY role, company_id, department_id',
    { personId },
  );
}

export async function replaceGrants(tx: Writing, personId: PersonId, rows: readonly NewGrant[]): Promise<void> {
  await remove(tx, 'role_grants', { person_id: personId });
  for (const row of rows) await insert(tx, 'role_grants', { ...row, person_id: personId });
}

/** Super admins who can sign in: nobody of a deactivated company can. */
export async function activeSuperAdmins(reader: Reader): Promise<number[]> {
  const rows = await reader.all<{ id: number }>(
    "SELECT p.id FROM role_grants g JOIN people p ON p.id = g.person_id WHERE g.role = 'super_admin' AND p.active = 1 AND p.company_id IN (SELECT id FROM companies WHERE active = 1)",
  );
  return rows.map((row) => row.id);
}

/** The admins of a company: its company admins and the super admins who work in it. */
export async function activeAdminsOf(reader: Reader, companyId: CompanyId): Promise<number[]> {
  const rows = await reader.all<{ id: number }>(
    "SELECT DISTINCT p.id FROM role_grants g JOIN people p ON p.id = g.person_id WHERE p.company_id = :companyId AND g.role IN ('company_admin', 'super_admin') AND p.active = 1",
    { companyId },
  );
  return rows.map((row) => row.id);
}

export async function insertDepartment(tx: Writing, companyId: CompanyId, name: string): Promise<DepartmentId> {
  return (await insertReturning(tx, 'departments', { company_id: companyId, name })).id;
}

/** `record_salt`: 16 random bytes in hexadecimal; nothing can be guessed from hashes of records with it. */
export type NewPersonRow = Omit<
  PeopleTable,
  'id' | 'active' | 'opening_minutes' | 'changed' | 'sort_name' | 'search_text'
>;

/** With the clock that every write about the person locks. */
export async function insertPerson(tx: Writing, row: NewPersonRow): Promise<PersonId> {
  const { id } = await insertReturning(tx, 'people', { ...row, ...foldedOf(row) });
  const { company_id, updated_at } = row;
  await insert(tx, 'clock_states', { person_id: id, company_id, state: 'out', updated_at });
  return id;
}

const foldedOf = (row: Parameters<typeof searchText>[0]) => ({
  sort_name: sortName(row),
  search_text: searchText(row),
});

/** Stores the changeable columns of a person; those of their department and company are read only. */
export async function updatePerson(tx: Writing, row: PersonRow): Promise<void> {
  const { id, company_id, department_name, company_name, company_active, changed, ...values } = row;
  const {
    time_zone,
    country,
    region,
    local_holidays,
    deducts_breaks_from,
    short_rest_branch,
    record_duty,
    new_day_after_hours,
    ...columns
  } = values;
  await update(tx, 'people', { id }, { ...columns, ...foldedOf(row) });
}

/**
 * The person with this value: among active people, `email` is unique everywhere, and `personnel_number` in the company.
 * Without an active one, the last person who had it.
 */
export async function personWith(
  reader: Reader,
  field: 'email' | 'personnel_number',
  value: string,
  companyId: CompanyId,
): Promise<Pick<PersonRow, 'id' | 'active'> | undefined> {
  return reader.get<Pick<PersonRow, 'id' | 'active'>>(
    `SELECT id, active FROM people WHERE ${field} = :value ${field === 'email' ? '' : 'AND company_id = :companyId'}
     ORDER BY active DESC, id DESC LIMIT 1`,
    { value, companyId },
  );
}

/**
 * The subset of the values that an active person already has: addresses in the installation, numbers in the company.
 */
export async function takenValues(
  reader: Reader,
  companyId: CompanyId,
  { emails, numbers }: { readonly emails: readonly string[]; readonly numbers: readonly string[] },
): Promise<{ readonly email: ReadonlySet<string>; readonly personnel_number: ReadonlySet<string> }> {
  const email = new Set<string>();
  for (let offset = 0; offset < emails.length; offset += 500) {
    const batch = emails.slice(offset, offset + 500);
    const rows = await reader.all<{ email: string }>(
      `SELECT email FROM people WHERE active = 1 AND email IN (${batch.map((_, index) => `:email_${index}`).join(', ')})`,
      Object.fromEntries(batch.map((value, index) => [`email_${index}`, value])),
    );
    for (const row of rows) email.add(row.email);
  }
  const numberRows = await reader.all<{ personnel_number: string }>(
    'SELECT personnel_number FROM people WHERE company_id = :companyId AND active = 1 AND personnel_number IS NOT NULL',
    { companyId },
  );
  const requestedNumbers = new Set(numbers);
  return {
    email,
    personnel_number: new Set(
      numberRows.map((row) => row.personnel_number).filter((number) => requestedNumbers.has(number)),
    ),
  };
}

/** First and last names by id, without erased people. */
export async function listNames(reader: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const uniqueIds = [...new Set(ids)];
  if (uniqueIds.length === 0) return new Map();
  const parameters = Object.fromEntries(uniqueIds.map((id, index) => [`id_${index}`, id]));
  const rows = await reader.all<Pick<PersonRow, 'id' | 'first_name' | 'last_name'>>(
    `SELECT id, first_name, last_name FROM people WHERE id IN (${Object.keys(parameters)
      .map((name) => `:${name}`)
      .join(', ')})`,
    parameters,
  );
  return new Map(rows.map((row) => [row.id, `${row.first_name} ${row.last_name}`]));
}

export interface AdministeredFilter {
  readonly active: boolean | undefined;
  /** Part of a name, address or personnel number. */
  readonly search: string | undefined;
  /** True if only names are searched. */
  readonly namesOnly?: boolean;
  readonly exceptPeople?: readonly PersonId[];
  readonly signIn?: 'none' | 'invited' | 'ready' | undefined;
  /** The last person of the previous page. */
  readonly after: { readonly name: string; readonly id: number } | undefined;
  readonly limit: number;
}

const hasPassword = 'SELECT 1 FROM credentials k WHERE k.person_id = p.id AND k.password_hash IS NOT NULL';
const signsIn = {
  none: 'AND p.email IS NULL',
  invited: `AND p.email IS NOT NULL AND NOT EXISTS (${hasPassword})`,
  ready: `AND p.email IS NOT NULL AND EXISTS (${hasPassword})`,
} as const;

/**
 * A condition, with AND in front: every word of a search is a part of the folded text of a person. The words are text,
 * not patterns.
 */
export function matchingPeople(search: string | undefined, column: 'p.sort_name' | 'p.search_text') {
  const words = searchWords(search ?? '');
  return {
    sql: words.map((_, index) => `AND ${column} LIKE :word_${index} ESCAPE '\\'`).join(' '),
    parameters: Object.fromEntries(
      words.map((word, index) => [`word_${index}`, `%${word.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`]),
    ),
  };
}

/** People by last name, first name and id. */
export function listPeopleByName(
  reader: Reader,
  scope: TenantScope,
  { active, search, namesOnly = false, exceptPeople = [], signIn, after, limit }: AdministeredFilter,
): Promise<PersonRow[]> {
  const { sql, parameters } = within(scope, personScope);
  const match = matchingPeople(search, namesOnly ? 'p.sort_name' : 'p.search_text');
  const except = Object.fromEntries(exceptPeople.map((id, index) => [`except_${index}`, id]));
  return reader.all<PersonRow>(
    `${selectPerson} WHERE 1 = 1 ${sql}
      ${active === undefined ? '' : 'AND p.active = :active'} ${match.sql} ${signIn === undefined ? '' : signsIn[signIn]}
      ${
        exceptPeople.length === 0
          ? ''
          : `AND p.id NOT IN (${Object.keys(except)
              .map((name) => `:${name}`)
              .join(', ')})`
      }
      ${after === undefined ? '' : 'AND (p.sort_name, p.id) > (:name, :id)'}
     ORDER BY p.sort_name, p.id LIMIT :limit`,
    {
      limit,
      ...parameters,
      ...except,
      active: active === false ? 0 : 1,
      ...match.parameters,
      name: after?.name ?? null,
      id: after?.id ?? null,
    },
  );
}

/** Whether another company has this name. */
export async function companyNameTaken(reader: Reader, name: string, except: number): Promise<boolean> {
  const otherCompanies = await reader.all<{ name: string }>('SELECT name FROM companies WHERE id <> :except', {
    except,
  });
  return otherCompanies.some((company) => comparableName(company.name) === comparableName(name));
}

/** Approvers whose grant names this department. */
export async function listApproversOf(reader: Reader, departmentId: DepartmentId): Promise<number[]> {
  return (
    await reader.all<{ id: number }>(
      'SELECT DISTINCT person_id AS id FROM role_grants WHERE department_id = :departmentId',
      { departmentId },
    )
  ).map((row) => row.id);
}

/** A member of a record before and after a change. */
export interface ChangedValue {
  readonly member: string;
  readonly old: unknown;
  readonly new: unknown;
}

export async function insertPersonChange(tx: Writing, row: Omit<Tables['person_changes'], 'id'>): Promise<void> {
  await insertReturning(tx, 'person_changes', row);
}

/** Changed values by id, without those of erased people. */
export async function findPersonChanges(
  reader: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly ChangedValue[]>> {
  const changesById = new Map<number, readonly ChangedValue[]>();
  for (let offset = 0; offset < ids.length; offset += 500) {
    const batch = ids.slice(offset, offset + 500);
    const rows = await reader.all<{ id: number; changes: string }>(
      `SELECT id, changes FROM person_changes WHERE id IN (${batch.map((_, index) => `:id_${index}`).join(', ')})`,
      Object.fromEntries(batch.map((id, index) => [`id_${index}`, id])),
    );
    for (const row of rows) changesById.set(row.id, JSON.parse(row.changes) as ChangedValue[]);
  }
  return changesById;
}
