/**
 * The days of absences in closed months, as they were when the month was closed. Later changes (region, holidays,
 * schedules, kinds) do not affect them.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { type LocalDate, monthOf } from '@clockproof/platform/time/local-date';
import type { Tables } from '../generated/tables.js';
import type { AbsenceId, CompanyId, PersonId } from '../store/ids.js';
import { insertFrom, remove, type Writing } from '../store/tables.js';

export type ClosedAbsenceRow = Tables['closed_absences'];

const columns = [
  'company_id',
  'month',
  'absence_id',
  'person_id',
  'counts_as_vacation',
  'days',
] as const satisfies readonly (keyof ClosedAbsenceRow)[];

export async function insertClosedAbsences(tx: Writing, rows: readonly ClosedAbsenceRow[]): Promise<void> {
  await insertFrom(
    tx,
    'closed_absences',
    columns,
    `SELECT ${columns.join(', ')} FROM ${tx.dialect.jsonRows('closed_absences', columns, ':rows')} r`,
    { rows: JSON.stringify(rows) },
  );
}

export async function deleteClosedAbsences(tx: Writing, companyId: CompanyId, month: string): Promise<void> {
  await remove(tx, 'closed_absences', { company_id: companyId, month });
}

/** The share of an absence in a day of a closed month. */
export interface ClosedShare {
  readonly halves: 0 | 1 | 2;
  /** True if its kind counted as vacation. */
  readonly vacation: boolean;
}

/** @returns undefined while the month is open */
export type ClosedShares = (absence: AbsenceId, date: LocalDate) => ClosedShare | undefined;

/** The shares of one person, or of everyone in a company in the months of a span. */
export async function readClosedShares(
  reader: Reader,
  filter:
    | { readonly personId: PersonId }
    | { readonly companyId: CompanyId; readonly from: LocalDate; readonly to: LocalDate },
): Promise<ClosedShares> {
  const rows = await reader.all<ClosedAbsenceRow>(
    `SELECT * FROM closed_absences WHERE ${'personId' in filter ? 'person_id = :personId' : 'company_id = :companyId AND month >= :first AND month <= :last'}`,
    'personId' in filter
      ? filter
      : { companyId: filter.companyId, first: monthOf(filter.from), last: monthOf(filter.to) },
  );
  const shares = new Map(
    rows.map(({ absence_id: id, month, counts_as_vacation: counts, days }) => {
      const halves = new Map(JSON.parse(days) as [LocalDate, 1 | 2][]);
      return [`${id} ${month}`, { halves, vacation: counts === 1 }];
    }),
  );
  return (absence, date) => {
    const share = shares.get(`${absence} ${monthOf(date)}`);
    return share && { halves: share.halves.get(date) ?? 0, vacation: share.vacation };
  };
}

/** The kinds of absence that counted as vacation when a month was closed. */
export async function listVacationTypes(
  reader: Reader,
  { companyId, month }: { readonly companyId: CompanyId; readonly month: string },
): Promise<ReadonlySet<string>> {
  const rows = await reader.all<{ type: string }>(
    `SELECT DISTINCT a.type FROM closed_absences c JOIN absences a ON a.id = c.absence_id
     WHERE c.company_id = :companyId AND c.month = :month AND c.counts_as_vacation = 1`,
    { companyId, month },
  );
  return new Set(rows.map(({ type }) => type));
}
