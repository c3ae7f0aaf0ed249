/** How much of some work lies in a band of the local clock, such as the night. Pure. */
import { type Instant, minute } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt, wallClockInstant } from '@clockproof/platform/time/local-date';
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
  for (const one of breaks) {
    if (one.start > from) pieces.push({ start: from, end: one.start });
    from = one.end;
  }
  if (end > from) pieces.push({ start: from, end });
  return pieces;
}

/** The part of the interval from a wall-clock time on a date to another one; empty where they do not meet. */
function overlap({ start, end }: Interval, from: Instant, to: Instant): number {
  return Math.max(0, Math.min(end, to) - Math.max(start, from));
}

/** Milliseconds of the pieces within the band, on whatever dates: a night has an hour more when the clocks go back. */
export function timeInBand(pieces: readonly Interval[], { from, to }: Band, timeZone: ZoneName): number {
  let sum = 0;
  for (const piece of pieces) {
    const today = localDateAt(piece.start, timeZone);
    const beganYesterday = to <= from && piece.start < wallClockInstant(today, to, timeZone);
    let date: LocalDate = beganYesterday ? addDays(today, -1) : today;
    for (;;) {
      const start = wallClockInstant(date, from, timeZone);
      if (start >= piece.end) break;
      const last = to > from ? date : addDays(date, 1);
      sum += overlap(piece, start, wallClockInstant(last, to, timeZone));
      date = addDays(date, 1);
    }
  }
  return sum;
}

export const minutesInBand = (pieces: readonly Interval[], band: Band, timeZone: ZoneName): number =>
  Math.floor(timeInBand(pieces, band, timeZone) / minute);
