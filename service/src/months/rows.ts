import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Tables } from '../generated/tables.js';
import { type PersonRow, personColumns, personScope, personTables } from '../people/rows.js';
import type { CompanyId, DepartmentId, PersonId } from '../store/ids.js';
import { type TenantScope, within } from '../store/scope.js';
import { insertFrom, remove, type Writing } from '../store/tables.js';

/** The figures of a person's month at its closing. */
export type MonthBalanceRow = Tables['month_balances'];
export type MonthFigures = Omit<MonthBalanceRow, 'days' | 'payroll'>;

const balanceColumns = [
  'company_id',
  'month',
  'person_id',
  'target_minutes',
  'worked_minutes',
  'difference_minutes',
  'absence_half_days',
  'findings',
  'days',
  'payroll',
] as const satisfies readonly (keyof MonthBalanceRow)[];
const figures =
  'company_id, month, person_id, target_minutes, worked_minutes, difference_minutes, absence_half_days, findings';

/** Inserts the figures of a month, everyone's in one statement. */
export async function insertMonthBalances(tx: Writing, rows: readonly MonthBalanceRow[]): Promise<void> {
  const columns = balanceColumns.join(', ');
  await insertFrom(
    tx,
    'month_balances',
    balanceColumns,
    `SELECT ${columns} FROM ${tx.dialect.jsonRows('month_balances', balanceColumns, ':rows')} r`,
    { rows: JSON.stringify(rows) },
  );
}

export async function deleteMonthBalances(tx: Writing, companyId: CompanyId, month: string): Promise<void> {
  await remove(tx, 'month_balances', { company_id: companyId, month });
  await remove(tx, 'closed_month_people', { company_id: companyId, month });
}

/** Rows of one person's closed months, by month. */
export function listStoredOfPerson(reader: Reader, personId: PersonId, companyId: CompanyId): Promise<MonthFigures[]> {
  return reader.all<MonthFigures>(
    `SELECT ${figures} FROM month_balances WHERE person_id = :personId AND company_id = :companyId ORDER BY month`,
    { personId, companyId },
  );
}

/** Everyone's figures of a closed month. */
export function listStored(reader: Reader, companyId: CompanyId, month: string): Promise<MonthFigures[]> {
  return reader.all<MonthFigures>(
    `SELECT ${figures} FROM month_balances WHERE company_id = :companyId AND month = :month`,
    { companyId, month },
  );
}

/** Everyone with figures in a closed month, as they were called then. */
export function listPeopleOfStored(reader: Reader, companyId: CompanyId, month: string): Promise<PersonOfMonth[]> {
  return reader.all<PersonOfMonth>(
    `SELECT p.id, n.first_name, n.last_name, n.personnel_number, p.department_id, n.department_name, ${employmentColumns}
     FROM month_balances b JOIN people p ON p.id = b.person_id
     JOIN closed_month_people n ON n.company_id = b.company_id AND n.month = b.month AND n.person_id = b.person_id
     WHERE b.company_id = :companyId AND b.month = :month ORDER BY p.id`,
    { companyId, month },
  );
}

/** People of one company, by id. */
export interface PeopleOfCompany {
  readonly companyId: CompanyId;
  readonly people: readonly { readonly id: PersonId }[];
}

/** A single person is read by their index, more people by that of their company. */
const singlePerson = 'person_id = :personId';
const severalPeople = 'company_id = :companyId AND person_id >= :personId AND person_id <= :lastId';

const parametersOf = ({ companyId, people }: PeopleOfCompany) => ({
  companyId,
  personId: people[0]!.id,
  lastId: people.at(-1)!.id,
});

/** The differences of people, summed over the closed months before one. */
export function sumStoredBefore(
  reader: Reader,
  of: PeopleOfCompany,
  month: string,
): Promise<{ person_id: PersonId; minutes: number }[]> {
  return reader.all(
    `SELECT person_id, SUM(difference_minutes) AS minutes FROM month_balances WHERE ${of.people.length === 1 ? singlePerson : severalPeople}
     AND month < :month GROUP BY person_id`,
    { ...parametersOf(of), month },
  );
}

/** The figures of people in a closed month. */
export function listStoredOf(reader: Reader, of: PeopleOfCompany, month: string): Promise<MonthFigures[]> {
  return reader.all<MonthFigures>(
    `SELECT ${figures} FROM month_balances WHERE ${of.people.length === 1 ? singlePerson : severalPeople} AND month = :month`,
    { ...parametersOf(of), month },
  );
}

/** The days of people in the closed months of a span. */
export function listStoredDays(
  reader: Reader,
  of: PeopleOfCompany,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<Pick<MonthBalanceRow, 'person_id' | 'days'>[]> {
  return reader.all(
    `SELECT person_id, days FROM month_balances WHERE ${of.people.length === 1 ? singlePerson : severalPeople} AND month >= :first AND month <= :last`,
    { ...parametersOf(of), first, last },
  );
}

/** Everyone's payroll of a closed month, by person. */
export function listStoredPayroll(
  reader: Reader,
  companyId: CompanyId,
  month: string,
): Promise<Pick<MonthBalanceRow, 'person_id' | 'payroll'>[]> {
  return reader.all(
    'SELECT person_id, payroll FROM month_balances WHERE company_id = :companyId AND month = :month ORDER BY person_id',
    { companyId, month },
  );
}

/** A worked interval, with the columns a balance needs. */
export type WorkRow = Pick<Tables['time_entries'], 'person_id' | 'date' | 'start_at' | 'breaks' | 'break_rules'> & {
  readonly end_at: Instant;
  /** The person is under 18 on the day. */
  readonly young: 0 | 1;
};

const workColumns = `person_id, date, start_at, end_at, breaks, break_rules,
  CASE WHEN EXISTS (SELECT 1 FROM special_rules s WHERE s.person_id = time_entries.person_id AND s.kind = 'young'
    AND s.valid_from <= time_entries.date AND COALESCE(s.valid_to, time_entries.date) >= time_entries.date) THEN 1 ELSE 0 END AS young`;

/** An entry without an end: it is open, or its clock-out is missing. */
export type OpenWorkRow = Pick<Tables['time_entries'], 'person_id' | 'date' | 'start_at' | 'breaks' | 'status'>;

/** The entries of people without an end. */
export function listOpenWork(reader: Reader, of: PeopleOfCompany): Promise<OpenWorkRow[]> {
  return reader.all<OpenWorkRow>(
    `SELECT person_id, date, start_at, breaks, status FROM time_entries
     WHERE ${of.people.length === 1 ? singlePerson : severalPeople} AND end_at IS NULL`,
    parametersOf(of),
  );
}

/** The counted work of people in a span of days, by person and time. */
export function listWork(
  reader: Reader,
  of: PeopleOfCompany,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<WorkRow[]> {
  return reader.all<WorkRow>(
    `SELECT ${workColumns} FROM time_entries WHERE ${of.people.length === 1 ? singlePerson : severalPeople}
     AND date >= :from AND date <= :to AND status IN ('recorded', 'approved') ORDER BY person_id, date, start_at`,
    { ...parametersOf(of), from, to },
  );
}

/** The days of a span on which people have entries that are recorded in full and await approval. */
export function listPendingWork(
  reader: Reader,
  of: PeopleOfCompany,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Pick<Tables['time_entries'], 'person_id' | 'date'>[]> {
  return reader.all(
    `SELECT DISTINCT person_id, date FROM time_entries WHERE ${of.people.length === 1 ? singlePerson : severalPeople}
     AND date >= :from AND date <= :to AND status = 'pending' AND end_at IS NOT NULL`,
    { ...parametersOf(of), from, to },
  );
}

const employmentColumns = 'p.employment_start, p.employment_end, p.tracking_start, p.opening_minutes';

/**
 * Condition for people of a month, from `:first` to `:last`: employed in it, or with finished entries in it that stayed
 * when a last day before it was set, or with bookings in it, such as the payout of what was left.
 */
const belongsToMonth = `(p.employment_end IS NULL OR p.employment_end >= :first
  OR EXISTS (SELECT 1 FROM time_entries e
    WHERE e.person_id = p.id AND e.date >= :first AND e.date <= :last AND e.status IN ('recorded', 'approved'))
  OR EXISTS (SELECT 1 FROM time_bookings b WHERE b.person_id = p.id AND b.date >= :first AND b.date <= :last))`;

/** The last month with finished entries or bookings of a person, also after their last day. */
export async function lastMonthWithRecords(reader: Reader, personId: PersonId): Promise<string | undefined> {
  const row = await reader.get<{ last: string | null }>(
    `SELECT MAX(date) AS last FROM (
       SELECT date FROM time_entries WHERE person_id = :personId AND status IN ('recorded', 'approved')
       UNION ALL SELECT date FROM time_bookings WHERE person_id = :personId) r`,
    { personId },
  );
  return row?.last?.slice(0, 7);
}

/** Everyone whose time is tracked on a day and who belongs to its month, by id, including people who have left since. */
export function listPeopleTrackedOn(
  reader: Reader,
  scope: TenantScope,
  date: LocalDate,
  { afterId, limit }: { readonly afterId: PersonId; readonly limit: number },
): Promise<PersonRow[]> {
  const { sql, parameters } = within(scope, personScope);
  const month = date.slice(0, 7);
  return reader.all<PersonRow>(
    `SELECT ${personColumns} FROM ${personTables}
     WHERE p.id > :afterId AND p.tracking_start <= :date AND ${belongsToMonth} ${sql} ORDER BY p.id LIMIT :limit`,
    { afterId, limit, date, first: `${month}-01`, last: `${month}-31`, ...parameters },
  );
}

/** Everyone whose time was tracked in a month of a company, including people who have left since. */
export function listPeopleOfMonth(reader: Reader, companyId: CompanyId, month: string): Promise<PersonOfMonth[]> {
  return reader.all<PersonOfMonth>(
    `SELECT p.id, p.first_name, p.last_name, p.personnel_number, p.department_id, d.name AS department_name, ${employmentColumns}
     FROM people p LEFT JOIN departments d ON d.id = p.department_id
     WHERE p.company_id = :companyId AND p.tracking_start <= :last AND ${belongsToMonth} ORDER BY p.id`,
    { companyId, first: `${month}-01`, last: `${month}-31` },
  );
}

export interface PersonOfMonth {
  readonly id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly personnel_number: string | null;
  readonly department_id: DepartmentId | null;
  readonly department_name: string | null;
  readonly employment_start: string | null;
  readonly employment_end: string | null;
  readonly tracking_start: string;
  readonly opening_minutes: number;
}

/** The first month for which anyone's time is tracked in a company. */
export async function firstMonthKept(reader: Reader, companyId: CompanyId): Promise<string | undefined> {
  return (
    await reader.get<{ first: string | null }>(
      'SELECT MIN(tracking_start) AS first FROM people WHERE company_id = :companyId',
      { companyId },
    )
  )?.first?.slice(0, 7);
}
