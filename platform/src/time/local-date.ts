/**
 * Local dates `YYYY-MM-DD`. A local date is text: it sorts, compares and stores as itself. Between instants and dates
 * stands a zone, that of a company.
 */
import { Temporal } from 'temporal-polyfill';
import type { Flavoured } from '../flavour.js';
import { calendar } from './calendar.js';
import { day, type Instant, isCalendarDate, minute } from './instant.js';
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

/** The date in `timeZone` at an instant. */
export function localDateAt(at: Instant, timeZone: ZoneName): LocalDate {
  const format =
    dateFormats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  dateFormats.set(timeZone, format);
  return format.format(at);
}
const dateFormats = new Map<ZoneName, Intl.DateTimeFormat>();

/** The first instant of a date in a zone (a day may begin after midnight where the clock jumps over it). */
export function startOfDay(date: LocalDate, timeZone: ZoneName): Instant {
  return Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds;
}

/** The time from one instant to another. */
export interface Span {
  readonly start: Instant;
  readonly end: Instant;
}

/**
 * The spans in which the wall clock of a date shows a time from one to another: one, two if the clocks go back and
 * repeat the hour, and none if the hour is left out.
 * @param from minutes after midnight, 0 to 1440
 * @param to minutes after midnight, the end excluded
 */
export function wallClockSpans(date: LocalDate, from: number, to: number, timeZone: ZoneName): readonly Span[] {
  const key = `${date} ${from} ${to} ${timeZone}`;
  let spans = wallClock.get(key);
  if (spans === undefined) {
    spans = offsetsOf(date, timeZone).flatMap(({ start, end, offset }) => {
      const midnight = utcDay(date) - offset;
      const span = {
        start: Math.max(start, midnight + from * minute),
        end: Math.min(end, midnight + to * minute),
      };
      return span.start < span.end ? [span] : [];
    });
    if (wallClock.size >= keptSpans) wallClock.clear();
    wallClock.set(key, spans);
  }
  return spans;
}
/** Reports ask for the same times of the same days for each person. */
const wallClock = new Map<string, readonly Span[]>();
const keptSpans = 5_000;

/** The parts of a date in which the clock of the zone is ahead of UTC by as many milliseconds. */
function offsetsOf(date: LocalDate, timeZone: ZoneName): (Span & { readonly offset: number })[] {
  const dayEnd = startOfDay(addDays(date, 1), timeZone);
  const parts: (Span & { readonly offset: number })[] = [];
  let from = Temporal.PlainDate.from(date).toZonedDateTime(timeZone);
  while (from.epochMilliseconds < dayEnd) {
    const change = from.getTimeZoneTransition('next');
    const end = Math.min(change?.epochMilliseconds ?? dayEnd, dayEnd);
    parts.push({ start: from.epochMilliseconds, end, offset: from.offsetNanoseconds / 1_000_000 });
    if (change === null) break;
    from = change;
  }
  return parts;
}

/**
 * Reaches beyond the {@link calendar} on both sides.
 * @throws RangeError outside of the years 1000 to 9999: a date that no longer sorts as text would be no local date
 */
export function addDays(date: LocalDate, days: number): LocalDate {
  const movedText = new Date(utcDay(date) + days * day).toISOString();
  if (movedText.length !== 24 || movedText < '1000')
    throw new RangeError(`${date} and ${days} days is no date of this calendar`);
  return movedText.slice(0, 10);
}

/** Days from `from` to `to`, both counted: a single day is 1. */
export function daysInclusive(from: LocalDate, to: LocalDate): number {
  return (utcDay(to) - utcDay(from)) / day + 1;
}

/** Dates are counted as days of UTC, which all have 24 hours; no zone comes in. */
function utcDay(date: LocalDate): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10)));
}

/** The month after one: `2026-12`. */
export function nextMonth(month: string): string {
  return monthOf(addDays(`${month}-28`, 4));
}

/** The last day of a month: `2026-11-30`. */
export function lastDayOf(month: string): LocalDate {
  return addDays(`${nextMonth(month)}-01`, -1);
}

/** Month of a date: `2026-11`. */
export function monthOf(date: LocalDate): string {
  return date.slice(0, 7);
}
