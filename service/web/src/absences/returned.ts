import type { Schemas } from '../api/session.js';
import { plusDays } from '../parts/calendar.js';

/** The days that were vacation before an absence took them, as far as they lie outside of its new days. */
export function returnedOutside(
  { returned_vacation: spans = [] }: Schemas['ReturnedVacation'],
  from: string,
  to: string,
): Schemas['ReturnedDays'][] {
  const [dayBefore, dayAfter] = [plusDays(from, -1), plusDays(to, 1)];
  return spans
    .flatMap(({ start_date, end_date }) => [
      { start_date, end_date: end_date < dayBefore ? end_date : dayBefore },
      { start_date: start_date > dayAfter ? start_date : dayAfter, end_date },
    ])
    .filter(({ start_date, end_date }) => start_date <= end_date);
}
