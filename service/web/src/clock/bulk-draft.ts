/** The drafts of a correction of several entries: the stamp that each one sets, and the body of its request. */
import type { Schemas } from '../api/session.js';
import type { CalendarFormats } from '../parts/calendar.js';
import { byTime, type DraftTime, firstAfter, meaningOf } from './draft-time.js';
import { instantsOf } from './local-time.js';

/**
 * `end` gives entries of a month their clock-out. The others are about one day: `in` and `out` set the first clock-in
 * and the last clock-out, `add` adds an entry that was never stamped.
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
  if (kind === 'add') {
    const start = meaningOf({ text: time }, (text) => instantsOf(date, text, calendar), calendar).instant;
    const end = start === undefined ? undefined : endAfter(start, { text: until }, calendar);
    return start === undefined || end === undefined ? undefined : { user_id: person.id, start, end, breaks: [] };
  }
  if (entry === undefined) return undefined;
  // The time that is not set stays as it is, and so do the breaks.
  const times =
    kind === 'in'
      ? { start: startOf(entry, time, calendar), end: entry.end }
      : { start: entry.start, end: endAfter(entry.start, { text: time, storedInstant: entry.end }, calendar) };
  const { start, end } = times;
  if (start === undefined || end === undefined) return undefined;
  return { user_id: person.id, entry_id: entry.id, start, end, breaks: breaksUntil(end, entry) };
}

function startOf(entry: Schemas['TimeEntry'], text: string, calendar: CalendarFormats): string | undefined {
  const day = calendar.dateOf(entry.start);
  return meaningOf({ text, storedInstant: entry.start }, (time) => instantsOf(day, time, calendar), calendar).instant;
}

/** The time on the day of the start, or on the next one if that is later. */
function endAfter(start: string, time: DraftTime, calendar: CalendarFormats): string | undefined {
  return meaningOf(time, (text) => firstAfter(start, text, { date: '', calendar }), calendar).instant;
}

/** A clock-out ends the running break. A break that would end at its start is dropped. */
export function breaksUntil(end: string, { breaks }: Pick<Schemas['TimeEntry'], 'breaks'>) {
  return breaks
    .map((pause) => ({ start: pause.start, end: pause.end ?? end }))
    .filter((pause) => byTime(pause.start, pause.end) < 0);
}
