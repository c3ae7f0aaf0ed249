import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { CompanyId, DepartmentId, PersonId } from '../ids.js';
import { upsert } from '../tables.js';

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
const rowsPerStatement = 50;

/** Inserts the figures of a month, many people in one statement: stamps wait while it is closed. */
export async function insertMonthBalances(tx: Transaction, rows: readonly MonthBalanceRow[]): Promise<void> {
  for (let done = 0; done < rows.length; done += rowsPerStatement) {
    const some = rows.slice(done, done + rowsPerStatement);
    const values = some.map((_, index) => `(${balanceColumns.map((column) => `:${column}_${index}`).join(', ')})`);
    await tx.run(
      `INSERT INTO month_balances (${balanceColumns.join(', ')}) VALUES ${values.join(', ')}`,
      Object.fromEntries(
        some.flatMap((row, index) => balanceColumns.map((column) => [`${column}_${index}`, row[column]])),
      ),
    );
  }
}

export async function deleteMonthBalances(tx: Transaction, companyId: CompanyId, month: string): Promise<void> {
  await tx.run('DELETE FROM month_balances WHERE company_id = :companyId AND month = :month', { companyId, month });
}

/** Rows of one person's finalised months, by month. */
export function listFinalisedOfPerson(
  reader: Reader,
  personId: PersonId,
  companyId: CompanyId,
): Promise<MonthBalanceRow[]> {
  return reader.all<MonthBalanceRow>(
    `SELECT b.* FROM month_balances b JOIN closed_months m ON m.company_id = b.company_id AND m.month = b.month AND m.settled = 1
     WHERE b.person_id = :personId AND b.company_id = :companyId ORDER BY b.month`,
    { personId, companyId },
  );
}

export function listFinalised(reader: Reader, companyId: CompanyId, month: string): Promise<MonthBalanceRow[]> {
  return reader.all<MonthBalanceRow>('SELECT * FROM month_balances WHERE company_id = :companyId AND month = :month', {
    companyId,
    month,
  });
}

/** Everyone with figures in a finalised month, as they are called today. */
export function listPeopleOfFinalised(reader: Reader, companyId: CompanyId, month: string): Promise<PersonOfMonth[]> {
  return reader.all<PersonOfMonth>(
    `SELECT ${personColumns} FROM month_balances b JOIN people p ON p.id = b.person_id LEFT JOIN departments d ON d.id = p.department_id
     WHERE b.company_id = :companyId AND b.month = :month ORDER BY p.id`,
    { companyId, month },
  );
}

/** Everyone's differences, summed over the finalised months before one. */
export function sumFinalisedBefore(
  reader: Reader,
  companyId: CompanyId,
  month: string,
): Promise<{ person_id: PersonId; minutes: number }[]> {
  return reader.all(
    `SELECT b.person_id, SUM(b.difference_minutes) AS minutes FROM closed_months m JOIN month_balances b ON b.company_id = m.company_id AND b.month = m.month
     WHERE m.company_id = :companyId AND m.month < :month AND m.settled = 1 GROUP BY b.person_id`,
    { companyId, month },
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

/** The open entries of a company's people. */
export function listOpenWork(
  reader: Reader,
  companyId: CompanyId,
): Promise<Pick<Tables['time_entries'], 'person_id' | 'date' | 'start_at'>[]> {
  return reader.all(
    "SELECT e.person_id, e.date, e.start_at FROM time_entries e JOIN clock_states s ON s.person_id = e.person_id WHERE s.company_id = :companyId AND s.state <> 'out' AND e.status = 'open'",
    { companyId },
  );
}

/** A person's counted work in a span of days, in order of time. */
export function listPersonWork(reader: Reader, personId: PersonId, from: string, to: string): Promise<WorkRow[]> {
  return reader.all<WorkRow>(
    `SELECT ${workColumns} FROM time_entries WHERE person_id = :personId AND date >= :from AND date <= :to AND status IN ('recorded', 'approved') ORDER BY date, start_at`,
    { personId, from, to },
  );
}

/** The days of a span with entries that are recorded in full and await approval. */
export function listPendingWork(
  reader: Reader,
  { companyId, from, to }: { readonly companyId: CompanyId; readonly from: string; readonly to: string },
): Promise<Pick<Tables['time_entries'], 'person_id' | 'date'>[]> {
  return reader.all(
    "SELECT DISTINCT person_id, date FROM time_entries WHERE company_id = :companyId AND date >= :from AND date <= :to AND status = 'pending' AND end_at IS NOT NULL",
    { companyId, from, to },
  );
}

/** The dates of a span on which anyone in a company has counted work. */
export async function listWorkDates(
  reader: Reader,
  companyId: CompanyId,
  from: string,
  to: string,
): Promise<ReadonlySet<string>> {
  const rows = await reader.all<{ date: string }>(
    `SELECT DISTINCT date FROM time_entries WHERE company_id = :companyId AND date >= :from AND date <= :to AND status IN ('recorded', 'approved')`,
    { companyId, from, to },
  );
  return new Set(rows.map((row) => row.date));
}

/**
 * Whether an entry of a span of days has changed since a place in the commit sequence: stamps take places there without
 * moving its fence.
 */
export async function workChangedSince(
  reader: Reader,
  companyId: CompanyId,
  { from, to, after }: { readonly from: string; readonly to: string; readonly after: number },
): Promise<boolean> {
  return (
    (await reader.get(
      'SELECT 1 AS changed FROM time_entries WHERE company_id = :companyId AND date >= :from AND date <= :to AND changed > :after LIMIT 1',
      { companyId, from, to, after },
    )) !== undefined
  );
}

const personColumns =
  'p.id, p.first_name, p.last_name, p.personnel_number, p.department_id, d.name AS department_name, p.employment_start, p.employment_end, p.kept_from, p.opening_minutes, p.language';

/** Everyone whose time was tracked in a month of a company, including people who have left since. */
export function listPeopleOfMonth(reader: Reader, companyId: CompanyId, month: string): Promise<PersonOfMonth[]> {
  return reader.all<PersonOfMonth>(
    `SELECT ${personColumns} FROM people p LEFT JOIN departments d ON d.id = p.department_id
     WHERE p.company_id = :companyId AND p.kept_from <= :last AND (p.employment_end IS NULL OR p.employment_end >= :first) ORDER BY p.id`,
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
  readonly kept_from: string;
  readonly opening_minutes: number;
  readonly language: string;
}

/** The first month for which anyone's time is tracked in a company. */
export async function firstMonthKept(reader: Reader, companyId: CompanyId): Promise<string | undefined> {
  return (
    await reader.get<{ first: string | null }>(
      'SELECT MIN(kept_from) AS first FROM people WHERE company_id = :companyId',
      { companyId },
    )
  )?.first?.slice(0, 7);
}

/** Everyone whose time is tracked in a company, with what their figures rest on. */
export function listTrackedPeople(
  reader: Reader,
  companyId: CompanyId,
): Promise<Pick<Tables['people'], 'id' | 'kept_from' | 'employment_start' | 'employment_end'>[]> {
  return reader.all(
    'SELECT id, kept_from, employment_start, employment_end FROM people WHERE company_id = :companyId ORDER BY id',
    { companyId },
  );
}

/** The schedules of a company and its people, as they are stored. */
export function listScheduleFacts(
  reader: Reader,
  companyId: CompanyId,
): Promise<Pick<Tables['schedules'], 'person_id' | 'valid_from' | 'week'>[]> {
  return reader.all(
    'SELECT person_id, valid_from, week FROM schedules WHERE company_id = :companyId ORDER BY valid_from, id',
    { companyId },
  );
}

/**
 * People with an absence that was written after a position in the commit sequence, or an entry of a day before a date. An
 * entry that was ever corrected may have come from such a day.
 */
export async function peopleChangedSince(
  reader: Reader,
  companyId: CompanyId,
  { after, before }: { readonly after: number; readonly before: string },
): Promise<PersonId[]> {
  const rows = await reader.all<{ person_id: PersonId }>(
    `SELECT person_id FROM time_entries WHERE company_id = :companyId AND changed > :after
       AND (date < :before OR EXISTS (SELECT 1 FROM entry_versions v WHERE v.entry_id = time_entries.id))
     UNION SELECT person_id FROM absences WHERE company_id = :companyId AND changed > :after`,
    { companyId, after, before },
  );
  return rows.map((row) => row.person_id);
}

export type RememberedMonthsRow = Tables['remembered_months'];

export function findRememberedMonths(reader: Reader, companyId: CompanyId): Promise<RememberedMonthsRow | undefined> {
  return reader.get<RememberedMonthsRow>('SELECT * FROM remembered_months WHERE company_id = :companyId', {
    companyId,
  });
}

export async function saveRememberedMonths(tx: Transaction, row: RememberedMonthsRow): Promise<void> {
  await upsert(tx, 'remembered_months', ['company_id'], row);
}

/** Somebody's figures are in it: it is calculated again without them. */
export async function deleteRememberedMonths(tx: Transaction, companyId: CompanyId): Promise<void> {
  await tx.run('DELETE FROM remembered_months WHERE company_id = :companyId', { companyId });
}
