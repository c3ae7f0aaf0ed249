import type { Reader } from '@clockproof/platform/database/database';
import type { Tables } from '../generated/tables.js';
import type { CompanyId } from '../store/ids.js';
import { insert, remove, type Writing } from '../store/tables.js';

export type ClosedMonthRow = Tables['closed_months'];

/** One closing or re-opening. */
export type MonthStepRow = Omit<Tables['month_steps'], 'id'>;

export function findClosedMonth(
  reader: Reader,
  companyId: CompanyId,
  month: string,
): Promise<ClosedMonthRow | undefined> {
  return reader.get<ClosedMonthRow>('SELECT * FROM closed_months WHERE company_id = :companyId AND month = :month', {
    companyId,
    month,
  });
}

/**
 * Whether a month from `first` to `last` is closed, or tracked and before a closed one: the balance of a closed month
 * rests on all tracked months before it.
 */
export async function closedInSpan(
  reader: Reader,
  companyId: CompanyId,
  first: string,
  last: string,
): Promise<boolean> {
  return (
    (await reader.get(
      `SELECT 1 AS closed FROM closed_months m WHERE m.company_id = :companyId AND m.month >= :first
       AND (m.month <= :last OR (SELECT MIN(p.tracking_start) FROM people p WHERE p.company_id = :companyId) <= :lastDay) LIMIT 1`,
      { companyId, first, last, lastDay: `${last}-31` },
    )) !== undefined
  );
}

/** The latest closed month. */
export async function lastClosedMonth(reader: Reader, companyId: CompanyId): Promise<string | undefined> {
  return (
    (
      await reader.get<{ month: string | null }>(
        'SELECT MAX(month) AS month FROM closed_months WHERE company_id = :companyId',
        { companyId },
      )
    )?.month ?? undefined
  );
}

/** Closed months of a span, by month. */
export function listClosedMonths(
  reader: Reader,
  companyId: CompanyId,
  first: string,
  last: string,
): Promise<ClosedMonthRow[]> {
  return reader.all<ClosedMonthRow>(
    'SELECT * FROM closed_months WHERE company_id = :companyId AND month >= :first AND month <= :last ORDER BY month',
    { companyId, first, last },
  );
}

export async function insertClosedMonth(tx: Writing, row: ClosedMonthRow): Promise<void> {
  await insert(tx, 'closed_months', row);
}

export function deleteClosedMonth(tx: Writing, companyId: CompanyId, month: string): Promise<number> {
  return remove(tx, 'closed_months', { company_id: companyId, month });
}

export async function insertMonthStep(tx: Writing, row: MonthStepRow): Promise<void> {
  await insert(tx, 'month_steps', row);
}

/** Closings and re-openings of the months in a span, oldest first. */
export function listMonthSteps(
  reader: Reader,
  companyId: CompanyId,
  first: string,
  last: string,
): Promise<MonthStepRow[]> {
  return reader.all<MonthStepRow>(
    'SELECT company_id, month, step, at, person_id, reason FROM month_steps WHERE company_id = :companyId AND month >= :first AND month <= :last ORDER BY id',
    { companyId, first, last },
  );
}
