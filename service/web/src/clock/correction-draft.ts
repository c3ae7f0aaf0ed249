/** A correction as somebody types it: its times, what is wrong with them, and what is sent. */
import { type CalendarFormats, plusDays } from '../parts/calendar.js';
import type { Words } from '../words/words.js';
import type { Entry } from './entries.js';
import { instantOf, readTime } from './local-time.js';

export interface Draft {
  readonly start: string;
  readonly end: string;
  readonly breaks: readonly { readonly start: string; readonly end: string }[];
  /** Time between two entries that the entry is split into. */
  readonly gap?: { readonly start: string; readonly end: string } | undefined;
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

export type DraftFaults = Readonly<Record<'start' | 'end' | 'breaks' | 'gap' | 'reason', string | undefined>>;

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
      : minutesOf({ ...draft, gap: undefined }) === undefined && !start && !end
        ? words.correction_breaks_outside
        : undefined,
    gap: faultOfGap(draft, words),
    reason: draft.reason.trim() === '' ? words.correction_reason_needed : undefined,
  };
}

function faultOfGap(draft: Draft, words: Words): string | undefined {
  const { gap } = draft;
  if (gap === undefined) return undefined;
  if (readTime(gap.start) === undefined || readTime(gap.end) === undefined) return words.correction_time_needed;
  return minutesOf({ ...draft, gap: undefined }) !== undefined && minutesOf(draft) === undefined
    ? words.correction_gap_outside
    : undefined;
}

interface Times {
  readonly start: string;
  readonly end: string;
  readonly breaks: { readonly start: string; readonly end: string }[];
}

/** What a draft without faults means: the instants of one entry, or of the two it is split into. */
export function timesOf(draft: Draft, date: string, calendar: CalendarFormats): [Times, ...Times[]] {
  const { start, end, breaks, gap } = instantsOf(draft, date, calendar);
  if (gap === undefined) return [{ start, end, breaks }];
  return [
    { start, end: gap.start, breaks: breaks.filter((pause) => pause.end <= gap.start) },
    { start: gap.end, end, breaks: breaks.filter((pause) => pause.start >= gap.end) },
  ];
}

function instantsOf(draft: Draft, date: string, calendar: CalendarFormats) {
  const start = readTime(draft.start)!;
  const end = readTime(draft.end)!;
  // What ends before it begins ends on the next day.
  const at = (time: string) => instantOf(time < start ? plusDays(date, 1) : date, time, calendar);
  const both = (span: { readonly start: string; readonly end: string }) => ({
    start: at(readTime(span.start)!),
    end: at(readTime(span.end)!),
  });
  return {
    start: at(start),
    end: end === start ? instantOf(plusDays(date, 1), end, calendar) : at(end),
    breaks: draft.breaks.map(both),
    gap: draft.gap && both(draft.gap),
  };
}

/**
 * @returns minutes between the times without the breaks and the gap; undefined where they are incomplete or make no
 * sense
 */
export function minutesOf(draft: Draft): number | undefined {
  const start = readTime(draft.start);
  const end = readTime(draft.end);
  if (start === undefined || end === undefined) return undefined;
  const from = minute(start);
  const after = (time: string) => (minute(time) < from ? minute(time) + 1440 : minute(time));
  const to = end === start ? from + 1440 : after(end);
  let sum = to - from;
  const spanOf = (some: { readonly start: string; readonly end: string }) => {
    const first = readTime(some.start);
    const last = readTime(some.end);
    if (first === undefined || last === undefined || after(last) <= after(first)) return undefined;
    return { first: after(first), last: after(last) };
  };
  const gap = draft.gap && spanOf(draft.gap);
  // Both entries have a time of their own.
  if (draft.gap !== undefined && (gap === undefined || gap.first === from || gap.last >= to)) return undefined;
  for (const some of draft.breaks) {
    const pause = spanOf(some);
    if (pause === undefined || pause.last > to) return undefined;
    if (gap !== undefined && pause.first < gap.last && pause.last > gap.first) return undefined;
    sum -= pause.last - pause.first;
  }
  return gap === undefined ? sum : sum - (gap.last - gap.first);
}

function minute(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
