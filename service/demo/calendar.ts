/** The days of the demo's story, counted back from today. Pure. */
import { addDays, type LocalDate, monthOf } from '@clockproof/platform/time/local-date';
import type { Holidays } from '../src/working-time/holidays.js';
import { weekdayOf } from '../src/working-time/schedule.js';

/**
 * At least three weeks, and at least a week of a month that is long over: matters of the last days, which still wait
 * for decisions, do not keep it from being closed.
 */
export function firstDayOfStory(today: LocalDate): LocalDate {
  const threeWeeksAgo = addDays(today, -21);
  const inMonthToClose = addDays(`${monthOf(addDays(today, -10))}-01`, -5);
  const from = threeWeeksAgo < inMonthToClose ? threeWeeksAgo : inMonthToClose;
  return addDays(from, -weekdayOf(from));
}

/** Mondays to Fridays that are no public holidays, both ends included. */
export function workdaysBetween(from: LocalDate, to: LocalDate, holidays: Holidays): LocalDate[] {
  const days: LocalDate[] = [];
  for (let date = from; date <= to; date = addDays(date, 1))
    if (weekdayOf(date) < 5 && holidays.on(date) === undefined) days.push(date);
  return days;
}
