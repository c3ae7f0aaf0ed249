/** Instants: milliseconds since 1970 inside, RFC 3339 UTC with `Z` outside. */

import type { Flavoured } from '../flavour.js';
import { calendar } from './calendar.js';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Flavoured<number, 'Instant'>;

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

const twoDigits = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
const minutes = Array.from({ length: 1_440 }, (_, n) => `${twoDigits[Math.floor(n / 60)]}:${twoDigits[n % 60]}:`);
const fractions = Array.from({ length: 1_000 }, (_, n) => (n === 0 ? 'Z' : `.${String(n).padStart(3, '0')}Z`));
const dates = new Map<number, string>();
// The time of a stamp stands in an answer two or three times, and in the next answer again.
const places = 4_096;
const recent = new Float64Array(places).fill(Number.NaN);
const texts = new Array<string>(places).fill('');

/**
 * `2026-11-21T07:58:03.250Z`; whole seconds without the fraction. Lists format hundreds of instants, nearly all on few
 * days: the date is made once a day.
 * @returns undefined for no instant
 */
export function formatInstant(at: Instant): string;
export function formatInstant(at: Instant | null | undefined): string | undefined;
export function formatInstant(at: Instant | null | undefined): string | undefined {
  if (at == null) return undefined;
  const place = Math.abs(at) % places;
  if (recent[place] === at) return texts[place]!;
  const days = Math.floor(at / day);
  let date = dates.get(days);
  if (date === undefined) {
    if (dates.size > 4_000) dates.clear();
    date = new Date(days * day).toISOString().slice(0, 11);
    dates.set(days, date);
  }
  const timeOfDay = at - days * day;
  const seconds = Math.floor(timeOfDay / second);
  const wholeMinutes = Math.floor(seconds / 60);
  const text = `${date}${minutes[wholeMinutes]}${twoDigits[seconds - wholeMinutes * 60]}${fractions[timeOfDay - seconds * second]}`;
  recent[place] = at;
  texts[place] = text;
  return text;
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/**
 * RFC 3339 §5.6, strict: upper-case T and Z, a real calendar date, no leap second, offset at most ±23:59. Fractions
 * beyond milliseconds are cut.
 * @returns undefined for anything else, instants outside of the {@link calendar} included
 */
export function parseInstant(text: string): Instant | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, date, hours, minutes, seconds, fraction = '', zone] = match;
  if (!isCalendarDate(Number(year), Number(month), Number(date))) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  let offset = 0;
  if (zone !== 'Z') {
    const [offsetHours, offsetMinutes] = [Number(zone!.slice(1, 3)), Number(zone!.slice(4))];
    if (offsetHours > 23 || offsetMinutes > 59) return undefined;
    offset = (zone!.startsWith('-') ? -1 : 1) * (offsetHours * hour + offsetMinutes * minute);
  }
  const at =
    Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(date),
      Number(hours),
      Number(minutes),
      Number(seconds),
      Number(fraction.padEnd(3, '0').slice(0, 3)),
    ) - offset;
  return at >= calendar.firstInstant && at <= calendar.lastInstant ? at : undefined;
}

/** Gregorian calendar; `new Date` would make 2 March of 30 February. */
export function isCalendarDate(year: number, month: number, date: number): boolean {
  if (month < 1 || month > 12 || date < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return date <= [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
}
