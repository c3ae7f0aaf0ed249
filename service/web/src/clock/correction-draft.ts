/** A correction as somebody types it: its times, what is wrong with them, and what is sent. */
import { type CalendarFormats, plusDays } from '../parts/calendar.js';
import type { Words } from '../words/words.js';
import type { Entry } from './entries.js';
import { instantOf, readTime } from './local-time.js';

export interface Draft {
  readonly start: string;
  readonly end: string;
  readonly breaks: readonly { readonly start: string; readonly end: string }[];
  readonly reason: string;
}

export function draftOf(entry: Entry | undefined, calendar: CalendarFormats): Draft {
  return {
    start: entry === undefined ? '' : calendar.time(entry.start),
    end: entry?.end === undefined ? '' : calendar.time(entry.end),
    breaks: (entry?.breaks ?? []).map((pause) => ({
      start: calendar.time(pause.start),
      end: pause.end === undefined ? '' : calendar.time(pause.end),
    })),
    reason: '',
  };
}

/** Without the breaks that nobody filled in. */
export function withoutEmptyBreaks(draft: Draft): Draft {
  return { ...draft, breaks: draft.breaks.filter(({ start, end }) => start.trim() !== '' || end.trim() !== '') };
}

export function haveSameTimes(one: Draft, other: Draft): boolean {
  const timesOf = ({ reason: _, ...times }: Draft) => JSON.stringify(times);
  return timesOf(one) === timesOf(other);
}

export type DraftFaults = Readonly<Record<'start' | 'end' | 'breaks' | 'reason', string | undefined>>;

/** @param draft without empty breaks */
export function faultsIn(draft: Draft, words: Words): DraftFaults {
  const missing = (time: string) => readTime(time) === undefined;
  const [start, end] = [missing(draft.start), missing(draft.end)];
  const needed = words.correction_time_needed;
  return {
    start: start ? needed : undefined,
    end: end ? needed : undefined,
    breaks: draft.breaks.some((pause) => missing(pause.start) || missing(pause.end))
      ? needed
      : minutesOf(draft) === undefined && !start && !end
        ? words.correction_breaks_outside
        : undefined,
    reason: draft.reason.trim() === '' ? words.correction_reason_needed : undefined,
  };
}

/** The instants of a draft without faults. */
export function instantsOf(draft: Draft, date: string, calendar: CalendarFormats) {
  const start = readTime(draft.start)!;
  const end = readTime(draft.end)!;
  // What ends before it begins ends on the next day.
  const at = (time: string) => instantOf(time < start ? plusDays(date, 1) : date, time, calendar);
  return {
    start: at(start),
    end: end === start ? instantOf(plusDays(date, 1), end, calendar) : at(end),
    breaks: draft.breaks.map((pause) => ({ start: at(readTime(pause.start)!), end: at(readTime(pause.end)!) })),
  };
}

/** @returns minutes between the times without the breaks; undefined where they are incomplete or make no sense */
export function minutesOf(draft: Draft): number | undefined {
  const start = readTime(draft.start);
  const end = readTime(draft.end);
  if (start === undefined || end === undefined) return undefined;
  const from = minute(start);
  const after = (time: string) => (minute(time) < from ? minute(time) + 1440 : minute(time));
  const to = end === start ? from + 1440 : after(end);
  let sum = to - from;
  for (const pause of draft.breaks) {
    const first = readTime(pause.start);
    const last = readTime(pause.end);
    if (first === undefined || last === undefined) return undefined;
    if (after(last) <= after(first) || after(last) > to) return undefined;
    sum -= after(last) - after(first);
  }
  return sum;
}

function minute(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
