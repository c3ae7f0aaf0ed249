/** The part of work that lies in a band of the local clock, such as the night. Pure. */
import { day, formatInstant, type Instant, minute } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, startOfDay, wallClockSpans } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { Interval, Work } from './rules.js';

/** Minutes after midnight; a band whose end is not after its start goes on past midnight. */
export interface Band {
  readonly from: number;
  readonly to: number;
}

/** Nachtzeit: 23:00 to 6:00, ArbZG §2 (3). */
export const nightTime: Band = { from: 23 * 60, to: 6 * 60 };

/** The parts of the work that are no break. */
export function piecesOf({ start, end, breaks }: Work): Interval[] {
  const pieces: Interval[] = [];
  let from = start;
  for (const pause of breaks) {
    if (pause.start > from) pieces.push({ start: from, end: pause.start });
    from = pause.end;
  }
  if (end > from) pieces.push({ start: from, end });
  return pieces;
}

export interface Bounds {
  readonly from: Instant;
  readonly to: Instant;
  readonly next: LocalDate;
}

/** By zone. Reports query the same few days thousands of times. */
const daysOfZones = new Map<ZoneName, Map<LocalDate, Bounds>>();
const keptDays = 5_000;

/** The local midnights at the start and end of a date, and the next date. */
export function boundsOf(date: LocalDate, timeZone: ZoneName): Bounds {
  const days = daysOfZones.get(timeZone) ?? new Map<LocalDate, Bounds>();
  let day = days.get(date);
  if (day === undefined) {
    if (days.size >= keptDays) days.clear();
    daysOfZones.set(timeZone, days);
    const next = addDays(date, 1);
    day = { from: startOfDay(date, timeZone), to: startOfDay(next, timeZone), next };
    days.set(date, day);
  }
  return day;
}

/**
 * The intervals in which the clock of a date shows a time of the band. A band past midnight lies in a date twice: the
 * end of the night before, and the beginning of its own.
 */
export function bandOn(date: LocalDate, { from, to }: Band, timeZone: ZoneName): readonly Interval[] {
  return from < to
    ? wallClockSpans(date, from, to, timeZone)
    : [...wallClockSpans(date, 0, to, timeZone), ...wallClockSpans(date, from, 24 * 60, timeZone)];
}

/** The dates on which there is some of an interval. */
export function datesOfInterval({ start, end }: Interval, timeZone: ZoneName): LocalDate[] {
  const dates: LocalDate[] = [];
  // Nowhere is the date further behind that of UTC.
  for (let date = formatInstant(start - day).slice(0, 10); ; ) {
    const { from, to, next } = boundsOf(date, timeZone);
    if (from >= end) return dates;
    if (to > start) dates.push(date);
    date = next;
  }
}

/** Milliseconds of the pieces within the band, over all dates: a night has an hour more when the clocks go back. */
export function timeInBand(pieces: readonly Interval[], band: Band, timeZone: ZoneName): number {
  let sum = 0;
  for (const piece of pieces)
    for (const date of datesOfInterval(piece, timeZone))
      for (const { start, end } of bandOn(date, band, timeZone))
        sum += Math.max(0, Math.min(piece.end, end) - Math.max(piece.start, start));
  return sum;
}

export const minutesInBand = (pieces: readonly Interval[], band: Band, timeZone: ZoneName): number =>
  Math.floor(timeInBand(pieces, band, timeZone) / minute);
