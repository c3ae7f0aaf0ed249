/** The vacation days of an absence, and the rest of them after a change. Pure. */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { AbsenceId } from '../store/ids.js';
import type { AbsenceRow, HalfDay } from './rows.js';

export interface Span {
  readonly start_date: LocalDate;
  readonly end_date: LocalDate;
}

/** Days of an approved vacation that another absence has taken. */
export interface ReturnedSpan extends Span {
  /** The vacation. */
  readonly vacation: AbsenceId;
}

/** The vacation an absence has given back so far; none while it waits. */
export function returnedSpans({ returned_vacation: spans }: Pick<AbsenceRow, 'returned_vacation'>): ReturnedSpan[] {
  return spans === null ? [] : (JSON.parse(spans) as ReturnedSpan[]);
}

/** Whole days, or half of one. */
export interface FreedSpan extends Span {
  readonly half_day: HalfDay | null;
}

/**
 * The spans that an absence loses: days before its new beginning and after its new end, half of a day, or all of it.
 */
export function freedSpans(before: FreedSpan, after: FreedSpan | undefined): FreedSpan[] {
  const { start_date, end_date, half_day } = before;
  const wholeSpan = { start_date, end_date, half_day };
  if (after === undefined || intersectionOf(before, after) === undefined) return [wholeSpan];
  if (half_day !== null) return after.half_day === null || after.half_day === half_day ? [] : [wholeSpan];
  const half = after.half_day === 'morning' ? 'afternoon' : 'morning';
  return [
    { start_date, end_date: addDays(after.start_date, -1), half_day },
    ...(after.half_day === null
      ? []
      : [{ start_date: after.start_date, end_date: after.end_date, half_day: half } as const]),
    { start_date: addDays(after.end_date, 1), end_date, half_day },
  ].filter((span) => span.start_date <= span.end_date);
}

/** The parts of returned vacation that lie in some spans of days. */
export function returnedWithin(vacationSpans: readonly ReturnedSpan[], spans: readonly Span[]): ReturnedSpan[] {
  return vacationSpans.flatMap((vacationSpan) =>
    spans.flatMap((span) => {
      const days = intersectionOf(vacationSpan, span);
      return days === undefined ? [] : [{ vacation: vacationSpan.vacation, ...days }];
    }),
  );
}

/** The days that two spans share. */
export function intersectionOf(first: Span, second: Span): Span | undefined {
  const start_date = first.start_date > second.start_date ? first.start_date : second.start_date;
  const end_date = first.end_date < second.end_date ? first.end_date : second.end_date;
  return start_date > end_date ? undefined : { start_date, end_date };
}
