/**
 * Rules of the Arbeitszeitgesetz that look at many days: averages, free Sundays and substitute days. Data and the
 * functions that check it, one finding each; they only report. Pure.
 */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { type Law, lastDays, type Version, versionsOf } from './law.js';
import type { Finding } from './rules.js';
import { weekdayOf } from './schedule.js';
import { evaluateShortRests, evaluateTwoWeeks, evaluateWeeks, germanWeeks, type WeekRules } from './week-rules.js';

export interface PeriodRules {
  readonly average: { readonly clause: string; readonly days: number; readonly minutesPerDay: number };
  readonly night: {
    readonly clause: string;
    /** More night time than this makes a working day one of night work. */
    readonly overMinutes: number;
    /** As many days of night work in a calendar year make a night worker. */
    readonly daysOfYear: number;
    readonly days: number;
    readonly minutesPerDay: number;
  };
  readonly sundays: { readonly clause: string; readonly freeOfYear: number };
  readonly substitutes: { readonly clause: string; readonly sundayDays: number; readonly holidayDays: number };
  readonly weeks: WeekRules;
}

const law: Law<PeriodRules> = {
  DE: [
    {
      from: '1994-07-01',
      rules: {
        // §3 sentence 2: six calendar months or 24 weeks; the weeks do not depend on the beginning of a month.
        average: { clause: 'ArbZG §3', days: 168, minutesPerDay: 480 },
        // §6 (2) with §2 (4) and (5) no. 2; one calendar month or four weeks.
        night: { clause: 'ArbZG §6 (2)', overMinutes: 120, daysOfYear: 48, days: 28, minutesPerDay: 480 },
        sundays: { clause: 'ArbZG §11 (1)', freeOfYear: 15 },
        substitutes: { clause: 'ArbZG §11 (3)', sundayDays: 14, holidayDays: 56 },
        weeks: germanWeeks,
      },
    },
  ],
};

/** Days for which a calculation has to look back. */
export const longestPeriodDays = 168;

export const periodRulesOf = (country: string): readonly Version<PeriodRules>[] => versionsOf(law, country);

/** A calendar day of one person. */
export interface PeriodDay {
  readonly date: LocalDate;
  /** Worked minutes of the working days that began on the date. */
  readonly workedMinutes: number;
  /** Minutes of each of them in the night time. */
  readonly nightMinutes: readonly number[];
  /** There was work on the calendar day, also of a shift that began the evening before. */
  readonly hasWork: boolean;
  readonly holiday: boolean;
  /** Vacation, sickness and the like: neither work nor a day that makes up for any. */
  readonly absent: boolean;
  /** The rest before each of them, as far as it is known. */
  readonly restMinutes?: readonly number[];
  /** Minutes that a public holiday took away from the schedule. */
  readonly holidayMinutes?: number;
  readonly young?: boolean;
  readonly expectant?: boolean;
  /** The company's branch may shorten rest periods, and no stricter rule holds for the person. */
  readonly shortRest?: boolean;
}

export interface PeriodFinding {
  readonly date: LocalDate;
  readonly finding: Finding;
}

/**
 * The findings of a span of days, each by the rules in force on its day.
 * @param days every calendar day without a gap, in order; those before `from` are looked back at
 * @param tracked the first day whose work is known: a period that begins earlier is not judged
 * @param to the last day of the span that is over: the averages are those of the weeks that end with it
 */
export function evaluatePeriods(
  versions: readonly Version<PeriodRules>[],
  days: readonly PeriodDay[],
  { from, to, trackedFrom }: { readonly from: LocalDate; readonly to: LocalDate; readonly trackedFrom: LocalDate },
): PeriodFinding[] {
  const trackedDays = days.filter(({ date }) => date >= trackedFrom && date <= to);
  const until = lastDays(versions);
  return versions
    .flatMap((version, index) =>
      evaluateVersion(version.rules, trackedDays).filter(
        ({ date }) => date >= from && date >= version.from && date <= (until[index] ?? date),
      ),
    )
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

function evaluateVersion(rules: PeriodRules, days: readonly PeriodDay[]): PeriodFinding[] {
  // JArbSchG takes the place of the ArbZG (§18 (2) there).
  const youngDates = new Set(days.filter((day) => day.young === true).map(({ date }) => date));
  const general = [
    ...evaluateAverage(rules, days),
    ...evaluateNight(rules, days),
    ...evaluateSundays(rules, days),
    ...evaluateSubstitutes(rules, days),
  ].filter(({ date, finding }) => !youngDates.has(finding.of ?? date));
  return [
    ...general,
    ...evaluateWeeks(rules.weeks, days),
    ...evaluateTwoWeeks(rules.weeks, days),
    ...evaluateShortRests(rules.weeks, days),
  ];
}

const isSunday = (day: PeriodDay) => weekdayOf(day.date) === 6;
/** A Werktag: Monday to Saturday, no public holiday. */
const isWorkday = (day: PeriodDay) => !isSunday(day) && !day.holiday;

/**
 * Minutes per Werktag; days of absence are left out of both sides (§3 counts no day on which the person could not
 * work).
 */
function averageOf(days: readonly PeriodDay[]): number {
  const workdays = days.filter((day) => isWorkday(day) && !day.absent).length;
  const workedMinutes = days.reduce((sum, day) => sum + day.workedMinutes, 0);
  return workdays === 0 ? 0 : Math.floor(workedMinutes / workdays);
}

/** §3 sentence 2, once for the last day of the span: more than eight hours on average of the weeks that end with it. */
function evaluateAverage(
  { average: { clause, days: length, minutesPerDay } }: PeriodRules,
  days: readonly PeriodDay[],
): PeriodFinding[] {
  if (days.length < length) return [];
  const actualMinutes = averageOf(days.slice(-length));
  return actualMinutes > minutesPerDay
    ? [
        {
          date: days.at(-1)!.date,
          finding: { code: 'average_exceeded', rule: clause, limitMinutes: minutesPerDay, actualMinutes },
        },
      ]
    : [];
}

/** §6 (2), for night workers: eight hours on average of four weeks. Once for the last day of the span. */
function evaluateNight({ night }: PeriodRules, days: readonly PeriodDay[]): PeriodFinding[] {
  const last = days.at(-1);
  if (last === undefined || days.length < night.days) return [];
  const year = last.date.slice(0, 4);
  const nights = days
    .filter(({ date }) => date.startsWith(year))
    .flatMap(({ nightMinutes }) => nightMinutes)
    .filter((minutes) => minutes > night.overMinutes).length;
  if (nights < night.daysOfYear) return [];
  const actualMinutes = averageOf(days.slice(-night.days));
  return actualMinutes > night.minutesPerDay
    ? [
        {
          date: last.date,
          finding: {
            code: 'night_average_exceeded',
            rule: night.clause,
            limitMinutes: night.minutesPerDay,
            actualMinutes,
          },
        },
      ]
    : [];
}

/** §11 (1): on each Sunday of work after which fewer than fifteen of the year can stay free. */
function evaluateSundays(
  { sundays: { clause, freeOfYear } }: PeriodRules,
  days: readonly PeriodDay[],
): PeriodFinding[] {
  const sundaysWorked = new Map<string, number>();
  return days.flatMap((day) => {
    if (!isSunday(day) || !day.hasWork) return [];
    const year = day.date.slice(0, 4);
    const count = (sundaysWorked.get(year) ?? 0) + 1;
    sundaysWorked.set(year, count);
    const freeSundays = sundaysOf(year) - count;
    return freeSundays < freeOfYear
      ? [
          {
            date: day.date,
            finding: {
              code: 'free_sundays_short' as const,
              rule: clause,
              limitMinutes: 0,
              actualMinutes: 0,
              days: { limit: freeOfYear, actual: freeSundays },
            },
          },
        ]
      : [];
  });
}

function sundaysOf(year: string): number {
  let count = 0;
  // Every year has its first Sunday in the first week.
  for (
    let date = addDays(`${year}-01-01`, (6 - weekdayOf(`${year}-01-01`) + 7) % 7);
    date.startsWith(year);
    date = addDays(date, 7)
  )
    count += 1;
  return count;
}

/**
 * §11 (3): a free Werktag for each Sunday of work within two weeks that include it, for each holiday on a Werktag
 * within eight weeks. Each free day makes up for one; the earliest deadline takes first. Reported on the day on which
 * that time ends.
 */
function evaluateSubstitutes({ substitutes }: PeriodRules, days: readonly PeriodDay[]): PeriodFinding[] {
  const last = days.at(-1)?.date;
  if (last === undefined) return [];
  const freeDates = days.filter((day) => isWorkday(day) && !day.hasWork && !day.absent).map(({ date }) => date);
  const substituteDays = new Set<LocalDate>();
  return days
    .filter((day) => day.hasWork && (isSunday(day) || day.holiday))
    .map((day) => {
      const length = isSunday(day) ? substitutes.sundayDays : substitutes.holidayDays;
      return { date: day.date, length, first: addDays(day.date, 1 - length), deadline: addDays(day.date, length - 1) };
    })
    .sort((a, b) => (a.deadline < b.deadline ? -1 : 1))
    .flatMap(({ date, length, first, deadline }) => {
      const substitute = freeDates.find(
        (candidate) => candidate >= first && candidate <= deadline && !substituteDays.has(candidate),
      );
      if (substitute !== undefined) substituteDays.add(substitute);
      return substitute !== undefined || deadline > last
        ? []
        : [
            {
              date: deadline,
              finding: {
                code: 'substitute_day_missing' as const,
                of: date,
                rule: substitutes.clause,
                limitMinutes: 0,
                actualMinutes: 0,
                days: { limit: length, actual: 0 },
              },
            },
          ];
    });
}
