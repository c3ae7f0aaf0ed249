/**
 * Which work belongs to one working day. Entries of one date do, however long the pause between them. So does work that
 * goes on after midnight: an entry that begins less than {@link pauseOfShift} after the end of the one before it
 * continues its working day. Pure.
 */
import { hour, type Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { boundsOf } from './rules.js';

/**
 * A shorter pause does not end a shift. The law names no figure; three hours is longer than a pause between the parts of
 * one shift and far shorter than a rest between two.
 */
export const pauseOfShift = 3 * hour;

/** What the grouping looks at. */
export interface Dated {
  /** The date on which it starts. */
  readonly date: LocalDate;
  readonly start_at: Instant;
  readonly end_at: Instant;
}

/** Whether an entry that begins at an instant, on a later date, continues a working day that has ended so far. */
export function continues(end: Instant | undefined, start: Instant): boolean {
  return end !== undefined && start - end < pauseOfShift;
}

/**
 * The working day that began on a date, and when the one before it ended.
 * @param rows the entries of the date, in order of time
 * @param previousEnd when work on earlier dates last ended
 * @param later the entries after the date, in order of time, as far as they may continue it
 */
export function workingDayOf<Row extends Dated>(
  rows: readonly Row[],
  previousEnd: Instant | undefined,
  later: readonly Row[],
): { readonly rows: readonly Row[]; readonly previousEnd: Instant | undefined } {
  let end = previousEnd;
  let continued = 0;
  for (const row of rows) {
    if (!continues(end, row.start_at)) break;
    end = row.end_at;
    continued += 1;
  }
  const begun = rows.slice(continued);
  return { rows: begun.length === 0 ? [] : [...begun, ...continuation(begun.at(-1)!.end_at, later)], previousEnd: end };
}

function continuation<Row extends Dated>(end: Instant, later: readonly Row[]): Row[] {
  const rows: Row[] = [];
  let last = end;
  for (const row of later) {
    if (!continues(last, row.start_at)) break;
    rows.push(row);
    last = row.end_at;
  }
  return rows;
}

/** The time between a working day and the one before it. */
export interface Rest {
  /** The date on which the working day after it began. */
  readonly date: LocalDate;
  readonly from: Instant;
  readonly to: Instant;
}

/** The rests between a person's working days. @param rows entries in order of time */
export function restsBetween(rows: readonly Dated[]): Rest[] {
  const rests: Rest[] = [];
  let [date, end]: [LocalDate | undefined, Instant | undefined] = [undefined, undefined];
  for (const row of rows) {
    if (row.date !== date && !continues(end, row.start_at)) {
      if (end !== undefined) rests.push({ date: row.date, from: end, to: row.start_at });
      date = row.date;
    }
    end = row.end_at;
  }
  return rests;
}

/** The working day of the last of a person's entries, all in order of time, and when the one before it ended. */
export function lastWorkingDay<Row extends Dated>(
  rows: readonly Row[],
  previousEnd: Instant | undefined,
): { readonly rows: readonly Row[]; readonly previousEnd: Instant | undefined } {
  let [first, end, endBefore] = [0, previousEnd, previousEnd];
  let date: LocalDate | undefined;
  for (const [index, row] of rows.entries()) {
    if (row.date !== date && !continues(end, row.start_at)) [first, endBefore, date] = [index, end, row.date];
    end = row.end_at;
  }
  return { rows: rows.slice(first), previousEnd: endBefore };
}

/**
 * Reads on after a date while the work may continue: `workOn` is asked only for dates that begin soon enough.
 * @param end when the last work of the date ended
 */
export async function readContinuation<Row extends Dated>(
  { date, end, timeZone }: { readonly date: LocalDate; readonly end: Instant; readonly timeZone: ZoneName },
  workOn: (date: LocalDate) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const later: Row[] = [];
  let last = end;
  for (let next = addDays(date, 1); continues(last, boundsOf(next, timeZone).from); next = addDays(next, 1)) {
    const rows = await workOn(next);
    const more = continuation(last, rows);
    later.push(...more);
    if (more.length < rows.length) break;
    last = more.at(-1)?.end_at ?? last;
  }
  return later;
}
