/** Weekly schedules: a person's target per day. Pure. */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Holiday } from './holidays.js';

/** Target minutes on Monday, Tuesday, … Sunday. */
export type Week = readonly [number, number, number, number, number, number, number];

export interface Schedule {
  readonly validFrom: LocalDate;
  readonly week: Week;
}

/** All schedules relevant for one person, each list by `validFrom`. */
export interface Schedules {
  readonly personSchedules: readonly Schedule[];
  /** The company's, for days on which the person has none of their own. */
  readonly company: readonly Schedule[];
}

/** Five days of eight hours: applies if a company has no schedule. */
export const standardWeek: Week = [480, 480, 480, 480, 480, 0, 0];

/** 0 is Monday. */
export function weekdayOf(date: LocalDate): 0 | 1 | 2 | 3 | 4 | 5 | 6 {
  // 1970-01-01 was a Thursday.
  return ((((Date.parse(date) / 86_400_000) % 7) + 10) % 7) as 0 | 1 | 2 | 3 | 4 | 5 | 6;
}

/** The week that applies on a date: the person's newest, else the company's newest, else {@link standardWeek}. */
export function weekOn({ personSchedules, company }: Schedules, date: LocalDate): Week {
  const isInForce = (schedule: Schedule) => schedule.validFrom <= date;
  return (personSchedules.findLast(isInForce) ?? company.findLast(isInForce))?.week ?? standardWeek;
}

/** The target of a day by schedule and holidays, before absences. */
export interface ScheduledTime {
  /** Minutes of the weekday, as if there were no holiday. */
  readonly wholeMinutes: number;
  /** Half of them, rounded down, on half a holiday. */
  readonly minutes: number;
  /** The number of halves of the day that are working time. */
  readonly halves: 0 | 1 | 2;
}

/** The caller handles employment and absences. */
export function scheduledOn(schedules: Schedules, holiday: Holiday | undefined, date: LocalDate): ScheduledTime {
  const wholeMinutes = weekOn(schedules, date)[weekdayOf(date)];
  const halves = wholeMinutes === 0 ? 0 : holiday === undefined ? 2 : holiday.half ? 1 : 0;
  return { wholeMinutes, minutes: Math.floor((wholeMinutes * halves) / 2), halves };
}
