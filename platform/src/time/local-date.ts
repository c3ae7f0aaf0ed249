/**
 * Local dates `YYYY-MM-DD`. A local date is text: it sorts, compares and stores as itself. Between instants and dates
 * stands a zone, that of a company.
 */
import { Temporal } from 'temporal-polyfill';
import type { Flavoured } from '../flavour.js';
import { calendar } from './calendar.js';
import { day, type Instant, isCalendarDate } from './instant.js';
import type { ZoneName } from './zone.js';

/** `2026-11-21` */
export type LocalDate = Flavoured<string, 'LocalDate'>;

/** @returns the date if the text is one, with ASCII digits, on the {@link calendar} */
export function parseLocalDate(text: string): LocalDate | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match !== null &&
    text >= calendar.firstDate &&
    text <= calendar.lastDate &&
    isCalendarDate(Number(match[1]), Number(match[2]), Number(match[3]))
    ? text
    : undefined;
}

/** The date on the wall of `timeZone` at an instant. */
export function localDateAt(at: Instant, timeZone: ZoneName): LocalDate {
  const cached =
    dateFormats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  dateFormats.set(timeZone, cached);
  return cached.format(at);
}
const dateFormats = new Map<ZoneName, Intl.DateTimeFormat>();

/** The first instant of a date in a zone (a day may begin after midnight where the clock jumps over it). */
export function startOfDay(date: LocalDate, timeZone: ZoneName): Instant {
  return Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds;
}

/**
 * The instant of a time on the wall clock. A time that a change of the clocks leaves out is moved on by the hour that is
 * left out; of a repeated one it is the first.
 * @param minutes after midnight, 0 to 1439
 */
export function wallClockInstant(date: LocalDate, minutes: number, timeZone: ZoneName): Instant {
  const key = `${date} ${minutes} ${timeZone}`;
  let instant = wallClock.get(key);
  if (instant === undefined) {
    const plainTime = { hour: Math.floor(minutes / 60), minute: minutes % 60 };
    instant = Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
    if (wallClock.size >= keptInstants) wallClock.clear();
    wallClock.set(key, instant);
  }
  return instant;
}
/** Reports ask for the same times of the same days for each person. */
const wallClock = new Map<string, Instant>();
const keptInstants = 5_000;

/**
 * Reaches beyond the {@link calendar} on both sides.
 * @throws RangeError outside of the years 1000 to 9999: a date that no longer sorts as text would be no local date
 */
export function addDays(date: LocalDate, days: number): LocalDate {
  const moved = new Date(utcDay(date) + days * day).toISOString();
  if (moved.length !== 24 || moved < '1000')
    throw new RangeError(`${date} and ${days} days is no date of this calendar`);
  return moved.slice(0, 10);
}

/** Days from `from` to `to`, both counted: a single day is 1. */
export function daysInclusive(from: LocalDate, to: LocalDate): number {
  return (utcDay(to) - utcDay(from)) / day + 1;
}

/** Dates are counted as days of UTC, which all have 24 hours; no zone comes in. */
function utcDay(date: LocalDate): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10)));
}

/** Month of a date: `2026-11`. */
export function monthOf(date: LocalDate): string {
  return date.slice(0, 7);
}
