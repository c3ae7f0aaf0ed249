/** The part of a person's work that counts towards a surcharge: on certain days, at certain times. Pure. */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { components } from '../../generated/app-types.js';
import { type Band, bandOn, datesOfInterval } from '../../working-time/clock-bands.js';
import type { Holidays } from '../../working-time/holidays.js';
import type { Interval } from '../../working-time/rules.js';
import { weekdayOf } from '../../working-time/schedule.js';

export type WageType = components['schemas']['WageType'];

/** Work without its breaks. */
export interface Piece extends Interval {
  /** The date on which the working day began. */
  readonly begun: LocalDate;
}

export interface Calendar {
  readonly timeZone: ZoneName;
  readonly holidays: Holidays;
}

/**
 * Milliseconds of work that count towards each surcharge, by code. Time that a wage type with dates counts is neither
 * Sunday nor public holiday time; a public holiday is no Sunday. Times of day come on top of each other and of these.
 * @param pieces in order of time, without overlap
 */
export function timeOfSurcharges(
  types: readonly WageType[],
  pieces: readonly Piece[],
  calendar: Calendar,
): Map<string, number> {
  const surcharges = types.filter(({ counts }) => counts === 'surcharge');
  const onDates = surcharges
    .filter(({ days }) => days === 'dates')
    .flatMap((type) => intervalsWithin(type, pieces, calendar));
  return new Map(
    surcharges.map((type) => {
      const intervals = intervalsWithin(type, pieces, calendar);
      const countedIntervals =
        type.days === 'sundays' || type.days === 'public_holidays' ? subtract(intervals, onDates) : intervals;
      return [type.code, lengthOf(countedIntervals)];
    }),
  );
}

/** The parts of the work that lie on the days and at the times of a wage type, as the clock shows them. */
function intervalsWithin(type: WageType, pieces: readonly Piece[], { timeZone, holidays }: Calendar): Interval[] {
  const intervals: Interval[] = [];
  const band = bandOf(type);
  for (const piece of pieces) {
    for (const date of datesOfInterval(piece, timeZone)) {
      if (!isDayOf(type, date, holidays) || (type.begun_before_midnight === true && date <= piece.begun)) continue;
      for (const bandInterval of bandOn(date, band, timeZone)) {
        const [start, end] = [Math.max(piece.start, bandInterval.start), Math.min(piece.end, bandInterval.end)];
        if (end > start) intervals.push({ start, end });
      }
    }
  }
  return intervals;
}

function isDayOf({ days, dates = [] }: WageType, date: LocalDate, holidays: Holidays): boolean {
  switch (days) {
    case 'sundays':
      return weekdayOf(date) === 6 && holidays.publicOn(date) === undefined;
    case 'public_holidays':
      return holidays.publicOn(date) !== undefined;
    case 'dates':
      return dates.includes(date.slice(5));
    default:
      return true;
  }
}

const minutesOfDay = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

function bandOf({ from, to }: WageType): Band {
  return from === undefined || to === undefined
    ? { from: 0, to: 24 * 60 }
    : { from: minutesOfDay(from), to: minutesOfDay(to) };
}

/** Joins overlapping intervals, so that time in two of them counts once. */
function merge(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const interval of [...intervals].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || interval.start > last.end) result.push(interval);
    else if (interval.end > last.end) result[result.length - 1] = { start: last.start, end: interval.end };
  }
  return result;
}

function subtract(intervals: readonly Interval[], removedIntervals: readonly Interval[]): Interval[] {
  return merge(removedIntervals).reduce<readonly Interval[]>(
    (remainder, { start, end }) =>
      remainder.flatMap((interval) =>
        [
          { start: interval.start, end: Math.min(interval.end, start) },
          { start: Math.max(interval.start, end), end: interval.end },
        ].filter((part) => part.end > part.start),
      ),
    intervals,
  ) as Interval[];
}

const lengthOf = (intervals: readonly Interval[]) => intervals.reduce((sum, { start, end }) => sum + end - start, 0);
