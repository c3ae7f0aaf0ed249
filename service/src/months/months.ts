/** Months as text, `2026-11`. Pure. */
import { addDays, nextMonth } from '@clockproof/platform/time/local-date';

export function previousMonth(month: string): string {
  return addDays(`${month}-01`, -1).slice(0, 7);
}

/** All months from one to another, both ends included. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = nextMonth(month)) months.push(month);
  return months;
}
