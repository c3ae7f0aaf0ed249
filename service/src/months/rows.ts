import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { CompanyId, DepartmentId, PersonId } from '../store/ids.js';
import { insertFrom, remove, type Writing } from '../store/tables.js';

/** A person's figures of a closed month, stored at closing. */
export type MonthBalanceRow = Tables['month_balances'];

const balanceColumns = [
  'company_id',
  'month',
  'person_id',
  'target_minutes',
  'worked_minutes',
  'difference_minutes',
  'absence_half_days',
  'findings',
] as const satisfies readonly (keyof MonthBalanceRow)[];

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
}

/** Rows of one person's closed months, by month. */
export function listStoredOfPerson(
  reader: Reader,
  personId: PersonId,
  companyId: CompanyId,
): Promise<MonthBalanceRow[]> {
  return reader.all<MonthBalanceRow>(
    'SELECT * FROM month_balances WHERE person_id = :personId AND company_id = :companyId ORDER BY month',
    { personId, companyId },
  );
}

/** Everyone's figures of a closed month. */
export function listStored(reader: Reader, companyId: CompanyId, month: string): Promise<MonthBalanceRow[]> {
  return reader.all<MonthBalanceRow>('SELECT * FROM month_balances WHERE company_id = :companyId AND month = :month', {
    companyId,
    month,
  });
}

/** Everyone with figures in a closed month, with their names of today. */
export function listPeopleOfStored(reader: Reader, companyId: CompanyId, month: string): Promise<PersonOfMonth[]> {
  return reader.all<PersonOfMonth>(
    `SELECT ${personColumns} FROM month_balances b JOIN people p ON p.id = b.person_id LEFT JOIN departments d ON d.id = p.department_id
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
const single = 'person_id = :personId';
const several = 'company_id = :companyId AND person_id >= :personId AND person_id <= :lastId';

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
    `SELECT person_id, SUM(difference_minutes) AS minutes FROM month_balances WHERE ${of.people.length === 1 ? single : several}
     AND month < :month GROUP BY person_id`,
    { ...parametersOf(of), month },
  );
}

/** The figures of people in a closed month. */
export function listStoredOf(reader: Reader, of: PeopleOfCompany, month: string): Promise<MonthBalanceRow[]> {
  return reader.all<MonthBalanceRow>(
    `SELECT * FROM month_balances WHERE ${of.people.length === 1 ? single : several} AND month = :month`,
    { ...parametersOf(of), month },
  );
}

/** A worked interval, with the columns a balance needs. */
export type WorkRow = Pick<Tables['time_entries'], 'person_id' | 'date' | 'start_at' | 'breaks' | 'break_rules'> & {
  readonly end_at: Instant;
};

const workColumns = 'person_id, date, start_at, end_at, breaks, break_rules';

/** A company's counted work on one day, by person and time. */
export function listCompanyWork(reader: Reader, companyId: CompanyId, date: string): Promise<WorkRow[]> {
  return reader.all<WorkRow>(
    `SELECT ${workColumns} FROM time_entries WHERE company_id = :companyId AND date = :date AND status IN ('recorded', 'approved') ORDER BY person_id, start_at`,
    { companyId, date },
  );
}

/** An entry that has not ended. */
export type OpenWorkRow = Pick<Tables['time_entries'], 'person_id' | 'date' | 'start_at' | 'breaks'>;

/** The open entries of people. */
export function listOpenWork(reader: Reader, of: PeopleOfCompany): Promise<OpenWorkRow[]> {
  return reader.all<OpenWorkRow>(
    `SELECT person_id, date, start_at, breaks FROM time_entries WHERE ${of.people.length === 1 ? single : several} AND status = 'open'`,
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
    `SELECT ${workColumns} FROM time_entries WHERE ${of.people.length === 1 ? single : several}
     AND date >= :from AND date <= :to AND status IN ('recorded', 'approved') ORDER BY person_id, date, start_at`,
    { ...parametersOf(of), from, to },
  );
}

/** A person's counted work in a span of days, in order of time. */
export function listPersonWork(reader: Reader, personId: PersonId, from: string, to: string): Promise<WorkRow[]> {
  return reader.all<WorkRow>(
    `SELECT ${workColumns} FROM time_entries WHERE person_id = :personId AND date >= :from AND date <= :to AND status IN ('recorded', 'approved') ORDER BY date, start_at`,
    { personId, from, to },
  );
}

/** The days of a span on which people have entries that are recorded in full and await approval. */
export function listPendingWork(
  reader: Reader,
  of: PeopleOfCompany,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Pick<Tables['time_entries'], 'person_id' | 'date'>[]> {
  return reader.all(
    `SELECT DISTINCT person_id, date FROM time_entries WHERE ${of.people.length === 1 ? single : several}
     AND date >= :from AND date <= :to AND status = 'pending' AND end_at IS NOT NULL`,
    { ...parametersOf(of), from, to },
  );
}

const personColumns =
  'p.id, p.first_name, p.last_name, p.personnel_number, p.department_id, d.name AS department_name, p.employment_start, p.employment_end, p.tracking_start, p.opening_minutes, p.language';

/** Everyone whose time was tracked in a month of a company, including people who have left since. */
export function listPeopleOfMonth(reader: Reader, companyId: CompanyId, month: string): Promise<PersonOfMonth[]> {
  return reader.all<PersonOfMonth>(
    `SELECT ${personColumns} FROM people p LEFT JOIN departments d ON d.id = p.department_id
     WHERE p.company_id = :companyId AND p.tracking_start <= :last AND (p.employment_end IS NULL OR p.employment_end >= :first) ORDER BY p.id`,
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
  readonly language: string;
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
