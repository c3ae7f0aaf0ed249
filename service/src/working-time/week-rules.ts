/**
 * Rules that look at weeks: limits for young and for expectant or nursing workers, and shortened rests that others must
 * make up for. Data and the functions that check it; they only report. Pure.
 */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { PeriodDay, PeriodFinding } from './period-rules.js';
import type { Finding } from './rules.js';
import { weekdayOf } from './schedule.js';

export interface WeekRules {
  readonly week: { readonly clause: string; readonly minutes: number };
  /** A day of up to `maximumMinutes` needs another workday of the week that is shorter than `minutes`. */
  readonly longDay: { readonly clause: string; readonly minutes: number; readonly maximumMinutes: number };
  readonly workDays: { readonly clause: string; readonly days: number };
  readonly twoWeeks: { readonly clause: string; readonly minutes: number; readonly youngMinutes: number };
  readonly shortRest: {
    readonly clause: string;
    /** A rest from here on… */
    readonly fromMinutes: number;
    /** …to below this is made up for by… */
    readonly minutes: number;
    /** …another one at least as long as this. */
    readonly madeUpMinutes: number;
    /** Within the calendar month, or as many days. */
    readonly days: number;
  };
}

export const germanWeeks: WeekRules = {
  // Weeks are those of the calendar, from Monday on (§4 (4) JArbSchG).
  week: { clause: 'JArbSchG §8 (1)', minutes: 2_400 },
  longDay: { clause: 'JArbSchG §8 (2a)', minutes: 480, maximumMinutes: 510 },
  workDays: { clause: 'JArbSchG §15', days: 5 },
  twoWeeks: { clause: 'MuSchG §4 (1)', minutes: 5_400, youngMinutes: 4_800 },
  shortRest: { clause: 'ArbZG §5 (2)', fromMinutes: 600, minutes: 660, madeUpMinutes: 720, days: 28 },
};

const minutesOf = (days: readonly PeriodDay[]) => days.reduce((sum, day) => sum + day.workedMinutes, 0);
const inDays = (limit: number, actual: number) => ({ limitMinutes: 0, actualMinutes: 0, days: { limit, actual } });

/** The spans of days that end on a Sunday, each with its Sunday. */
function spansToSunday(days: readonly PeriodDay[], length: number): [LocalDate, readonly PeriodDay[]][] {
  return days.flatMap((day, index): [LocalDate, readonly PeriodDay[]][] =>
    weekdayOf(day.date) === 6 ? [[day.date, days.slice(Math.max(0, index + 1 - length), index + 1)]] : [],
  );
}

/**
 * Young workers: 40 hours and five days a week, and long days only beside shorter ones. A week is reported on its
 * Sunday. Time that a public holiday takes away counts as worked (§4 (4) JArbSchG).
 */
export function evaluateWeeks({ week, longDay, workDays }: WeekRules, days: readonly PeriodDay[]): PeriodFinding[] {
  return spansToSunday(days, 7).flatMap(([sunday, spanDays]) => {
    const days = spanDays.filter((day) => day.young === true);
    const findings: PeriodFinding[] = [];
    const report = (date: LocalDate, finding: Finding) => findings.push({ date, finding });
    const workingDays = days.filter((day) => day.workedMinutes > 0);
    for (const day of workingDays) {
      const minutes = day.workedMinutes;
      const offset = workingDays.some((day) => weekdayOf(day.date) !== 6 && day.workedMinutes < longDay.minutes);
      if (minutes > longDay.minutes && minutes <= longDay.maximumMinutes && !offset)
        report(sunday, {
          code: 'long_day_not_offset',
          of: day.date,
          rule: longDay.clause,
          limitMinutes: longDay.minutes,
          actualMinutes: minutes,
        });
    }
    const sum = minutesOf(days) + days.reduce((sum, day) => sum + (day.holidayMinutes ?? 0), 0);
    if (sum > week.minutes)
      report(sunday, {
        code: 'week_limit_exceeded',
        rule: week.clause,
        limitMinutes: week.minutes,
        actualMinutes: sum,
      });
    if (workingDays.length > workDays.days)
      report(sunday, {
        code: 'week_days_exceeded',
        rule: workDays.clause,
        ...inDays(workDays.days, workingDays.length),
      });
    return findings;
  });
}

/** Expectant and nursing workers: any two calendar weeks in a row, on the Sunday that ends them. Sundays count. */
export function evaluateTwoWeeks({ twoWeeks }: WeekRules, days: readonly PeriodDay[]): PeriodFinding[] {
  return spansToSunday(days, 14).flatMap(([sunday, spanDays]) => {
    const days = spanDays.filter((day) => day.expectant === true);
    const limitMinutes = days.some((day) => day.young === true) ? twoWeeks.youngMinutes : twoWeeks.minutes;
    const actualMinutes = minutesOf(days);
    return actualMinutes > limitMinutes
      ? [
          {
            date: sunday,
            finding: { code: 'two_weeks_limit_exceeded', rule: twoWeeks.clause, limitMinutes, actualMinutes },
          },
        ]
      : [];
  });
}

/**
 * ArbZG §5 (2): each shortened rest needs a longer one, within the same calendar month or four weeks, before or after
 * it. A long rest makes up for one; the earliest deadline takes first. Reported on the day on which that time ends.
 */
export function evaluateShortRests({ shortRest }: WeekRules, periodDays: readonly PeriodDay[]): PeriodFinding[] {
  const last = periodDays.at(-1)?.date;
  if (last === undefined) return [];
  const { clause, fromMinutes, minutes, madeUpMinutes, days } = shortRest;
  const rests = periodDays.flatMap(({ date, shortRest: isAllowed, restMinutes = [] }) =>
    restMinutes.map((restLength) => ({ date, isAllowed, restLength })),
  );
  const longRestDates = rests.filter(({ restLength }) => restLength >= madeUpMinutes).map(({ date }) => date);
  const compensations = new Set<number>();
  return rests
    .filter(({ isAllowed, restLength }) => isAllowed && restLength >= fromMinutes && restLength < minutes)
    .map(({ date, restLength }) => ({ date, restLength, ...windowAround(date, days) }))
    .sort((a, b) => (a.deadline < b.deadline ? -1 : 1))
    .flatMap(({ date, restLength, first, deadline }) => {
      const longRestIndex = longRestDates.findIndex(
        (candidate, index) => candidate >= first && candidate <= deadline && !compensations.has(index),
      );
      if (longRestIndex >= 0) compensations.add(longRestIndex);
      return longRestIndex >= 0 || deadline > last
        ? []
        : [
            {
              date: deadline,
              finding: {
                code: 'rest_not_made_up' as const,
                of: date,
                rule: clause,
                limitMinutes: madeUpMinutes,
                actualMinutes: restLength,
              },
            },
          ];
    });
}

/** The calendar month of a date and as many days around it as make up a period that includes it. */
function windowAround(date: LocalDate, days: number): { readonly first: LocalDate; readonly deadline: LocalDate } {
  const monthStart = `${date.slice(0, 7)}-01`;
  const monthEnd = addDays(`${addDays(monthStart, 31).slice(0, 7)}-01`, -1);
  const [earliest, latest] = [addDays(date, 1 - days), addDays(date, days - 1)];
  return { first: earliest < monthStart ? earliest : monthStart, deadline: latest > monthEnd ? latest : monthEnd };
}
