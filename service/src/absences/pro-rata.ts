/** Vacation days of people who join or leave during a year (§5 BUrlG). Pure. */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../people/rows.js';
import type { VacationPolicyRow } from './rows.js';

export type ProRataRule = VacationPolicyRow['pro_rata'];

export type Employment = Pick<PersonRow, 'employment_start' | 'employment_end'>;

/** The days of one year, and how they come about. */
export interface ProRata {
  /** In steps of .5. */
  readonly days: number;
  /** Full months of employment in the year. */
  readonly months: number;
  readonly rule: 'whole_year' | 'full_claim' | 'waiting_period' | 'left_in_first_half' | 'twelfths';
}

/**
 * `statutory` is §5 (1) BUrlG: a twelfth for each full month if the waiting period of six months (§4) is not completed in
 * the year (a and b), or the employment ends in its first half (c); otherwise the full claim. `twelfths` is a twelfth for
 * each full month, always.
 * @param days of the whole year, in steps of .5
 */
export function proRata(days: number, policy: ProRataRule, employment: Employment, year: number): ProRata {
  const span = spanIn(employment, year);
  const months = span === undefined ? 0 : monthsOf(span);
  if (policy === 'none' || months === 12) return { days, months, rule: 'whole_year' };
  const rule = policy === 'twelfths' ? 'twelfths' : statutory(employment, year);
  return { days: rule === 'full_claim' ? days : twelfths(days, months), months, rule };
}

/** Whether the person is employed on any day of the year. */
export function isEmployedIn(employment: Employment, year: number): boolean {
  return spanIn(employment, year) !== undefined;
}

function statutory(
  { employment_start: start, employment_end: end }: Employment,
  year: number,
): 'full_claim' | 'waiting_period' | 'left_in_first_half' {
  const last = end === null || end > `${year}-12-31` ? `${year}-12-31` : end;
  // Completed only with the end of the last day of the sixth month: somebody who joins on 1 July has no full claim in
  // that year.
  if (start !== null && lastDayOfMonths(start, 6) >= last) return 'waiting_period';
  return last <= `${year}-06-30` ? 'left_in_first_half' : 'full_claim';
}

/**
 * §5 (2): half a day or more is rounded up. Less is not rounded down; the account is kept in half days, so it becomes
 * half a day.
 */
function twelfths(days: number, months: number): number {
  const twentyFourths = days * 2 * months;
  const [whole, rest] = [Math.floor(twentyFourths / 24), twentyFourths % 24];
  return whole + (rest >= 12 ? 1 : rest > 0 ? 0.5 : 0);
}

interface Span {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

function spanIn({ employment_start: start, employment_end: end }: Employment, year: number): Span | undefined {
  const [first, last] = [`${year}-01-01`, `${year}-12-31`];
  const from = start === null || start < first ? first : start;
  const to = end === null || end > last ? last : end;
  return from > to ? undefined : { from, to };
}

/** Full months; each runs from the day of the month on which the span begins. */
function monthsOf({ from, to }: Span): number {
  let months = 12;
  while (months > 0 && lastDayOfMonths(from, months) > to) months -= 1;
  return months;
}

/**
 * The last day of some months that begin on a date: the day before the one of the same number, or the end of the month
 * if that has no such day (§§187 (2), 188 (2) and (3) BGB).
 */
function lastDayOfMonths(date: LocalDate, months: number): LocalDate {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return addDays(first.toISOString().slice(0, 10), Math.min(day - 1, length) - 1);
}
