/** The parts of a month that a person shows, and those that their file hides. */
import { lastDayOf } from '@clockproof/platform/time/local-date';
import { daysOf } from '../parts/calendar.js';

export interface ShownParts {
  readonly of: 'all' | 'sums' | 'days';
  readonly withName: boolean;
  /** First and last day with `days`: `YYYY-MM-DD`, both included. */
  readonly from: string;
  readonly to: string;
}

/** @returns the parts to hide, for `hide`; the head is always shown */
export function hiddenParts(month: string, { of, withName, from, to }: ShownParts): string[] {
  const name = withName ? [] : ['person'];
  if (of === 'all') return name;
  const days = daysOf(`${month}-01`, lastDayOf(month)).filter((day) => of === 'sums' || day < from || day > to);
  return [...name, ...(of === 'sums' ? [] : ['figures']), 'bookings', 'sign_offs', 'steps', ...days];
}
