/**
 * Working-time rules as data, one table per country, and the function that checks a day's work against them. Pure. It
 * only reports; it never prevents or changes a record.
 */
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { Localized } from '../people/language.js';
import { type Band, boundsOf, timeInBand } from './clock-bands.js';
import type { Holidays } from './holidays.js';
import { type Law, rulesInForce, versionsOf } from './law.js';
import { weekdayOf } from './schedule.js';
import { type Circumstances, ruleOn } from './special-rules.js';
import { lengthOfWorkingDay } from './working-days.js';

export interface WorkingTimeRules {
  readonly daily: {
    readonly clause: string;
    /** Above it, a hint. Also the average that must be reached, or the length above which other days must make up. */
    readonly regularMinutes: number;
    readonly maximumMinutes: number;
  };
  /** From the beginning to the end of a working day, rest breaks included. */
  readonly shift?: { readonly clause: string; readonly minutes: number };
  readonly breaks: {
    readonly clause: string;
    /** A shorter pause does not count as a rest break. */
    readonly partMinutes: number;
    /** The longest time without a rest break. */
    readonly stretchMinutes: number;
    /** More work than `overMinutes` requires `breakMinutes`; ascending. */
    readonly tiers: readonly { readonly overMinutes: number; readonly breakMinutes: number }[];
    /** A pause this soon after the beginning, or before the end, does not count as a rest break. */
    readonly edges?: { readonly clause: string; readonly minutes: number };
  };
  readonly rest: { readonly clause: string; readonly minutes: number };
  /** The clauses that forbid work on these days; without one, they are days as any other. */
  readonly freeDays: { readonly saturday?: string; readonly sunday: string; readonly holiday: string };
  /** Hours in which no work is allowed. */
  readonly night?: { readonly clause: string; readonly band: Band };
}

/** The rules of a country: those for everyone, and those that take their place. */
interface CountryRules {
  readonly general: WorkingTimeRules;
  /** Applies if the company's branch may shorten rest periods. */
  readonly shortRest: WorkingTimeRules['rest'];
  readonly young: WorkingTimeRules;
  readonly expectant: WorkingTimeRules;
  /** With work until 22:00 approved. */
  readonly evenings: WorkingTimeRules['night'];
  /** The stricter one of each rule. */
  readonly youngExpectant: WorkingTimeRules;
}

/** Arbeitszeitgesetz of 6 June 1994, §§3, 4, 5 and 9. */
const germany: WorkingTimeRules = {
  daily: { clause: 'ArbZG §3', regularMinutes: 480, maximumMinutes: 600 },
  breaks: {
    clause: 'ArbZG §4',
    partMinutes: 15,
    stretchMinutes: 360,
    tiers: [
      { overMinutes: 360, breakMinutes: 30 },
      { overMinutes: 540, breakMinutes: 45 },
    ],
  },
  rest: { clause: 'ArbZG §5', minutes: 660 },
  freeDays: { sunday: 'ArbZG §9', holiday: 'ArbZG §9' },
};

/**
 * Jugendarbeitsschutzgesetz, §§8, 11 to 14 and 16 to 18. Exceptions for a branch or by a collective agreement are not
 * in it.
 */
const germanYoung: WorkingTimeRules = {
  // More than eight hours only if other days of the week are shorter, see `period-rules.ts`.
  daily: { clause: 'JArbSchG §8', regularMinutes: 480, maximumMinutes: 510 },
  shift: { clause: 'JArbSchG §12', minutes: 600 },
  breaks: {
    clause: 'JArbSchG §11',
    partMinutes: 15,
    stretchMinutes: 270,
    tiers: [
      { overMinutes: 270, breakMinutes: 30 },
      { overMinutes: 360, breakMinutes: 60 },
    ],
    edges: { clause: 'JArbSchG §11 (2)', minutes: 60 },
  },
  rest: { clause: 'JArbSchG §13', minutes: 720 },
  freeDays: { saturday: 'JArbSchG §16', sunday: 'JArbSchG §17', holiday: 'JArbSchG §18' },
  night: { clause: 'JArbSchG §14', band: { from: 20 * 60, to: 6 * 60 } },
};

/** Mutterschutzgesetz, §§4, 5 and 6; breaks are those of everyone. */
const germanExpectant: WorkingTimeRules = {
  ...germany,
  daily: { clause: 'MuSchG §4 (1)', regularMinutes: 480, maximumMinutes: 510 },
  rest: { clause: 'MuSchG §4 (2)', minutes: 660 },
  freeDays: { sunday: 'MuSchG §6 (1)', holiday: 'MuSchG §6 (1)' },
  night: { clause: 'MuSchG §5 (1)', band: { from: 20 * 60, to: 6 * 60 } },
};

const law: Law<CountryRules> = {
  DE: [
    {
      from: '1994-07-01',
      rules: {
        general: germany,
        shortRest: { clause: 'ArbZG §5 (2)', minutes: 600 },
        young: germanYoung,
        expectant: germanExpectant,
        evenings: { clause: 'MuSchG §5 (1)', band: { from: 22 * 60, to: 6 * 60 } },
        youngExpectant: {
          ...germanYoung,
          daily: { clause: 'MuSchG §4 (1)', regularMinutes: 480, maximumMinutes: 480 },
        },
      },
    },
  ],
};

/** The rules for everyone. Undefined if none are known for the country and the day: nothing is reported then. */
export function generalRulesOn(country: string, date: LocalDate): WorkingTimeRules | undefined {
  return rulesInForce(versionsOf(law, country), date)?.general;
}

/** The rules of breaks that a deduction follows: those of everyone, or of people under 18. */
export function breakRuleOn(country: string, date: LocalDate, young: boolean): WorkingTimeRules['breaks'] | undefined {
  const table = rulesInForce(versionsOf(law, country), date);
  return (young ? table?.young : table?.general)?.breaks;
}

/** The rules that hold for a person on the day on which a working day begins. */
export function rulesOn(
  country: string,
  circumstances: Pick<Circumstances, 'specialRules' | 'shortRestBranch'>,
  date: LocalDate,
): WorkingTimeRules | undefined {
  const table = rulesInForce(versionsOf(law, country), date);
  if (table === undefined) return undefined;
  const isYoung = ruleOn(circumstances, 'young', date) !== undefined;
  const expectantRule = ruleOn(circumstances, 'expectant_or_nursing', date);
  if (isYoung) return expectantRule === undefined ? table.young : table.youngExpectant;
  if (expectantRule !== undefined)
    return expectantRule.eveningWork && table.evenings !== undefined
      ? { ...table.expectant, night: table.evenings }
      : table.expectant;
  return circumstances.shortRestBranch === null ? table.general : { ...table.general, rest: table.shortRest };
}

export interface Interval {
  readonly start: Instant;
  readonly end: Instant;
}

/** One interval from clocking in to clocking out, or to now. */
export interface Work extends Interval {
  readonly breaks: readonly Interval[];
}

export interface Day {
  /** The date on which the working day began. */
  readonly date: LocalDate;
  readonly timeZone: ZoneName;
  /** The intervals of the working day (see `working-days.ts`), in order of time, without overlap. */
  readonly work: readonly Work[];
  /** The end of the previous working day. */
  readonly previousEnd?: Instant | undefined;
  /** The person is at work: the last interval has no end yet, and a break that has just ended is one between work. */
  readonly ongoing?: boolean;
  readonly holidays: Holidays;
}

export interface Finding {
  readonly code:
    | 'daily_limit_near'
    | 'daily_limit_exceeded'
    | 'break_missing'
    | 'rest_period_short'
    | 'sunday_work'
    | 'holiday_work'
    | 'clock_out_missing'
    | 'average_exceeded'
    | 'night_average_exceeded'
    | 'free_sundays_short'
    | 'substitute_day_missing'
    | 'shift_too_long'
    | 'saturday_work'
    | 'night_work'
    | 'week_limit_exceeded'
    | 'long_day_not_offset'
    | 'week_days_exceeded'
    | 'two_weeks_limit_exceeded'
    | 'rest_not_made_up'
    | 'record_missing';
  /** The clause; absent for hints that follow from no law. */
  readonly rule?: string;
  readonly limitMinutes: number;
  readonly actualMinutes: number;
  /** Tells the two requirements of §4 apart: set if the one about unbroken work is violated. */
  readonly unbroken?: true;
  /** There are pauses that are long enough, but too close to the beginning or the end. */
  readonly atEdges?: true;
  readonly holiday?: Localized | undefined;
  /** The day it is about, if that is not the day on which it is reported. */
  readonly of?: LocalDate;
  /** For a limit that is no time: a number of days, and the actual number. */
  readonly days?: { readonly limit: number; readonly actual: number };
}

/**
 * Whether a finding counts in reports. Work of more than eight hours is within §3 as long as the average stays at
 * eight: a hint to the person, and no violation of the day.
 */
export const isViolation = ({ code }: Finding): boolean => code !== 'daily_limit_near';

/** Free days reported of one working day. Together with the other rules this keeps warnings below 20 (the contract). */
export const maxFreeDays = 12;

/**
 * The rules that the work of a working day violates, at most one finding per rule and {@link maxFreeDays} of §9. Times
 * are rounded down to whole minutes once, at the end.
 */
export function evaluateDay(rules: WorkingTimeRules, day: Day): Finding[] {
  const pieces = day.work.flatMap(withoutBreaks);
  return [
    ...evaluateDaily(rules, pieces, day.work[0]?.start ?? 0),
    ...evaluateShift(rules, day),
    ...evaluateBreaks(rules, pieces, day.ongoing === true),
    ...evaluateRest(rules, day),
    ...evaluateNight(rules, day, pieces),
    ...evaluateFreeDays(rules, day, pieces),
  ];
}

/** §3: eight hours; ten if the average returns to eight. Work more than 24 hours after the beginning is another day's. */
function evaluateDaily(
  { daily: { clause, regularMinutes, maximumMinutes } }: WorkingTimeRules,
  pieces: readonly Interval[],
  dayBegin: Instant,
): Finding[] {
  const end = dayBegin + lengthOfWorkingDay;
  const workedMinutes = minutesOf(
    pieces.map((piece) => ({ start: Math.min(piece.start, end), end: Math.min(piece.end, end) })),
  );
  if (workedMinutes > maximumMinutes)
    return [{ code: 'daily_limit_exceeded', rule: clause, limitMinutes: maximumMinutes, actualMinutes: workedMinutes }];
  return workedMinutes > regularMinutes
    ? [{ code: 'daily_limit_near', rule: clause, limitMinutes: maximumMinutes, actualMinutes: workedMinutes }]
    : [];
}

/** JArbSchG §12 with §4 (2): the working day as a whole, breaks included. */
function evaluateShift({ shift }: WorkingTimeRules, { work }: Day): Finding[] {
  const [first, last] = [work[0], work.at(-1)];
  if (shift === undefined || first === undefined || last === undefined) return [];
  const shiftMinutes = Math.floor((last.end - first.start) / minute);
  return shiftMinutes > shift.minutes
    ? [{ code: 'shift_too_long', rule: shift.clause, limitMinutes: shift.minutes, actualMinutes: shiftMinutes }]
    : [];
}

/**
 * §4: enough rest breaks in total, and not too long without one. A break interrupts work: a pause before the first
 * minute of it or after the last is none. Time between two entries counts as a break. While work goes on, its end is
 * not known, and no pause is too close to it.
 */
function evaluateBreaks(
  { breaks: { clause, partMinutes, stretchMinutes, tiers, edges } }: WorkingTimeRules,
  workPieces: readonly Interval[],
  ongoing: boolean,
): Finding[] {
  const workedMinutes = minutesOf(workPieces);
  const pieces = fromFirstMinuteToLast(workPieces, ongoing);
  const edge = (edges?.minutes ?? 0) * minute;
  const [earliest, latest] = [(pieces[0]?.start ?? 0) + edge, ongoing ? Infinity : (pieces.at(-1)?.end ?? 0) - edge];
  const pauses = pausesBetween(pieces).filter(({ start, end }) => end - start >= partMinutes * minute);
  const rests = pauses.filter(({ start, end }) => start >= earliest && end <= latest);
  const breakMinutes = minutesOf(rests);
  const requiredMinutes = tiers.findLast((tier) => workedMinutes > tier.overMinutes)?.breakMinutes ?? 0;
  if (breakMinutes < requiredMinutes) {
    const finding = { code: 'break_missing', limitMinutes: requiredMinutes, actualMinutes: breakMinutes } as const;
    return edges !== undefined && minutesOf(pauses) >= requiredMinutes
      ? [{ ...finding, rule: edges.clause, atEdges: true }]
      : [{ ...finding, rule: clause }];
  }
  const longest = longestStretch(pieces, rests);
  return longest > stretchMinutes
    ? [{ code: 'break_missing', rule: clause, limitMinutes: stretchMinutes, actualMinutes: longest, unbroken: true }]
    : [];
}

/** §5: eleven hours between the end of one day's work and the beginning of the next. */
function evaluateRest({ rest: { clause, minutes } }: WorkingTimeRules, { work, previousEnd }: Day): Finding[] {
  const [first] = work;
  if (first === undefined || previousEnd === undefined) return [];
  const restMinutes = Math.max(0, Math.floor((first.start - previousEnd) / minute));
  return restMinutes < minutes
    ? [{ code: 'rest_period_short', rule: clause, limitMinutes: minutes, actualMinutes: restMinutes }]
    : [];
}

/** JArbSchG §14, MuSchG §5: no work in these hours of the local clock. */
function evaluateNight(
  { night }: WorkingTimeRules,
  { timeZone, work, ongoing }: Day,
  pieces: readonly Interval[],
): Finding[] {
  if (night === undefined) return [];
  const nightTime = timeInBand(pieces, night.band, timeZone);
  const workEnd = work.at(-1)?.end;
  // Work that goes on has begun, even if it has not lasted a minute yet.
  const hasBegun =
    ongoing === true &&
    workEnd !== undefined &&
    timeInBand([{ start: workEnd, end: workEnd + 1 }], night.band, timeZone) > 0;
  return nightTime >= minute || hasBegun
    ? [{ code: 'night_work', rule: night.clause, limitMinutes: 0, actualMinutes: Math.floor(nightTime / minute) }]
    : [];
}

/** §9: from midnight to midnight local time, so a night shift into a Sunday counts. */
function evaluateFreeDays({ freeDays }: WorkingTimeRules, day: Day, pieces: readonly Interval[]): Finding[] {
  const findings: Finding[] = [];
  for (const date of datesOf(day)) {
    if (findings.length === maxFreeDays) break;
    const holiday = day.holidays.publicOn(date);
    // A holiday on a Sunday is reported as a holiday, the stricter of the two.
    const kind = holiday === undefined ? freeWeekdays.get(weekdayOf(date)) : 'holiday';
    const rule = kind === undefined ? undefined : freeDays[kind];
    if (kind === undefined || rule === undefined) continue;
    const { from, to } = boundsOf(date, day.timeZone);
    const clamp = (at: Instant) => Math.min(to, Math.max(from, at));
    const actualMinutes = minutesOf(pieces.map((piece) => ({ start: clamp(piece.start), end: clamp(piece.end) })));
    // Work that goes on has begun, even if it has not lasted a minute yet.
    const hasBegun = day.ongoing === true && day.work.at(-1)!.end < to;
    if (actualMinutes === 0 && !hasBegun) continue;
    findings.push({
      code: `${kind}_work`,
      rule,
      limitMinutes: 0,
      actualMinutes,
      holiday: holiday?.name,
    });
  }
  return findings;
}

const freeWeekdays = new Map<number, 'saturday' | 'sunday'>([
  [5, 'saturday'],
  [6, 'sunday'],
]);

/** The dates from the start of the working day to its end. */
function datesOf({ date, timeZone, work }: Day): LocalDate[] {
  const end = work.at(-1)?.end;
  if (end === undefined) return [];
  const dates = [date];
  for (let day = boundsOf(date, timeZone); day.to < end; day = boundsOf(day.next, timeZone)) dates.push(day.next);
  return dates;
}

function withoutBreaks({ start, end, breaks }: Work): Interval[] {
  const pieces: Interval[] = [];
  let from = start;
  for (const pause of breaks) {
    pieces.push({ start: from, end: pause.start });
    from = pause.end;
  }
  pieces.push({ start: from, end });
  return pieces;
}

/**
 * The intervals from the first minute of work to the last one. Seconds between clocking in and a break are no work that
 * the break interrupts. While work goes on, nothing is cut off at the end.
 */
function fromFirstMinuteToLast(pieces: readonly Interval[], ongoing: boolean): readonly Interval[] {
  const workPieces = pieces.filter((piece) => piece.end > piece.start);
  const first = firstMinuteIn(workPieces);
  if (first === undefined) return [];
  const last = ongoing ? pieces.at(-1)! : firstMinuteIn(workPieces.toReversed())!;
  return [...workPieces.filter((piece) => piece.start >= first.start && piece.start < last.start), last];
}

/** The interval in which the work adds up to a minute. */
function firstMinuteIn(pieces: readonly Interval[]): Interval | undefined {
  let workTime = 0;
  return pieces.find((piece) => {
    workTime += piece.end - piece.start;
    return workTime >= minute;
  });
}

/** Milliseconds of the pauses that interrupt the work of a finished working day, between its entries too. */
export function pausesOf(work: readonly Work[]): number[] {
  const pieces = fromFirstMinuteToLast(work.flatMap(withoutBreaks), false);
  return pausesBetween(pieces).map(({ start, end }) => end - start);
}

function pausesBetween(pieces: readonly Interval[]): Interval[] {
  return pieces.slice(1).map(({ start }, index) => ({ start: pieces[index]!.end, end: start }));
}

/** Minutes of the longest interval without a rest break; other pauses are part of it. */
function longestStretch(pieces: readonly Interval[], rests: readonly Interval[]): number {
  let longest = 0;
  let stretchStart: Instant | undefined;
  for (const { start, end } of pieces) {
    if (stretchStart === undefined || rests.some((pause) => pause.end === start)) stretchStart = start;
    longest = Math.max(longest, end - stretchStart);
  }
  return Math.floor(longest / minute);
}

function minutesOf(pieces: readonly Interval[]): number {
  return Math.floor(pieces.reduce((sum, piece) => sum + piece.end - piece.start, 0) / minute);
}
