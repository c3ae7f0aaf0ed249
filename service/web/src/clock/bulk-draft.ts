/** What one correction of several sets: which stamp of which entry, and what is sent for it. */
import type { Schemas } from '../api/session.js';
import { type CalendarFormats, plusDays } from '../parts/calendar.js';
import { instantOf, readTime } from './local-time.js';

/**
 * `end` gives entries of a month their clock-out. The others are about one day: `in` and `out` set the first clock-in and
 * the last clock-out, `add` adds an entry that was never stamped.
 */
export const bulkKinds = ['end', 'in', 'out', 'add'] as const;
export type BulkKind = (typeof bulkKinds)[number];

/** A row of the list: an entry to correct, or a person who gets one. */
export interface BulkRow {
  readonly key: string;
  readonly person: { readonly id: number; readonly name: string };
  readonly department?: string | undefined;
  readonly date: string;
  readonly entry?: Schemas['TimeEntry'] | undefined;
}

/**
 * @param time of the stamp that is set; for `add` the start
 * @param until for `add` alone
 * @returns undefined if a time is missing, or an `out` has no clock-in before it
 */
export function bulkDraftOf(
  { person, date, entry }: BulkRow,
  { kind, time, until }: { readonly kind: BulkKind; readonly time: string; readonly until: string },
  calendar: CalendarFormats,
): Schemas['CorrectionDraft'] | undefined {
  const read = readTime(time);
  if (read === undefined) return undefined;
  const set = instantOf(date, read, calendar);
  if (kind === 'add') {
    const end = readTime(until);
    return end === undefined
      ? undefined
      : { user_id: person.id, start: set, end: onOrAfter(set, date, end, calendar), breaks: [] };
  }
  if (entry === undefined) return undefined;
  const start = kind === 'in' ? set : wholeMinute(entry.start);
  const end = kind === 'in' ? entry.end && wholeMinute(entry.end) : onOrAfter(start, date, read, calendar);
  if (end === undefined) return undefined;
  const breaks = entry.breaks.map((pause) => ({
    start: wholeMinute(pause.start),
    end: pause.end === undefined ? end : wholeMinute(pause.end),
  }));
  return {
    user_id: person.id,
    entry_id: entry.id,
    start,
    end,
    // A break shorter than a minute, or one that the clock-out ends at once, is none.
    breaks: breaks.filter((pause) => pause.end > pause.start),
  };
}

/** The time on the day of the entry, or on the next one if the entry begins later. */
function onOrAfter(start: string, date: string, time: string, calendar: CalendarFormats): string {
  const sameDay = instantOf(date, time, calendar);
  return sameDay > start ? sameDay : instantOf(plusDays(date, 1), time, calendar);
}

/** Corrections are in whole minutes. */
function wholeMinute(instant: string): string {
  return `${instant.slice(0, 16)}:00Z`;
}
