/** A correction as it is typed: its times, their faults, and the request. */
import type { CalendarFormats } from '../parts/calendar.js';
import type { Words } from '../words/words.js';
import { byTime, type DraftTime, emptyTime, firstAfter, type Meaning, meaningOf, storedTime } from './draft-time.js';
import type { Entry } from './entries.js';
import { instantsOf } from './local-time.js';

interface Span<Time> {
  readonly start: Time;
  readonly end: Time;
}

interface Fields<Time> extends Span<Time> {
  readonly breaks: readonly Span<Time>[];
  /** Time between two entries that the entry is split into. */
  readonly gap?: Span<Time> | undefined;
}

export interface Draft extends Fields<DraftTime> {
  readonly reason: string;
}

export const emptySpan: Span<DraftTime> = { start: emptyTime, end: emptyTime };

export function draftOf(entry: Pick<Entry, 'start' | 'end' | 'breaks'> | undefined, calendar: CalendarFormats): Draft {
  return {
    start: storedTime(entry?.start, calendar),
    end: storedTime(entry?.end, calendar),
    breaks: (entry?.breaks ?? []).map((pause) => ({
      start: storedTime(pause.start, calendar),
      end: storedTime(pause.end, calendar),
    })),
    reason: '',
  };
}

/** Leaves out the breaks without times. */
export function withoutEmptyBreaks(draft: Draft): Draft {
  return { ...draft, breaks: draft.breaks.filter(({ start, end }) => start.text.trim() + end.text.trim() !== '') };
}

export function haveSameTimes(meanings: Meanings, otherMeanings: Meanings): boolean {
  const instants = ({ start, end, breaks, gap }: Meanings) =>
    [{ start, end }, ...breaks, ...(gap === undefined ? [] : [gap])].flatMap((span) => [
      span.start.instant,
      span.end.instant,
    ]);
  return JSON.stringify(instants(meanings)) === JSON.stringify(instants(otherMeanings));
}

/** The meaning of each time of a draft. */
export type Meanings = Fields<Meaning>;

/** @param date the day of an entry that was never stamped */
export function meaningsOf(draft: Draft, date: string, calendar: CalendarFormats): Meanings {
  const day = draft.start.storedInstant === undefined ? date : calendar.dateOf(draft.start.storedInstant);
  const start = meaningOf(draft.start, (time) => instantsOf(day, time, calendar), calendar);
  const firstMeaning = (begin: string | undefined, time: DraftTime, { orAt = false, until = '' } = {}) =>
    meaningOf(
      time,
      (text) => {
        const candidates = firstAfter(begin, text, { date: day, calendar, orAt });
        const candidatesBeforeEnd = candidates.filter((instant) => until === '' || byTime(instant, until) <= 0);
        return candidatesBeforeEnd.length === 0 ? candidates : candidatesBeforeEnd;
      },
      calendar,
    );
  const end = firstMeaning(start.instant, draft.end);
  const meaningsWithin = (span: Span<DraftTime>, orAt: boolean) => {
    const until = end.instant ?? '';
    const first = firstMeaning(start.instant, span.start, { orAt, until });
    return { start: first, end: firstMeaning(first.instant, span.end, { until }) };
  };
  return {
    start,
    end,
    breaks: draft.breaks.map((pause) => meaningsWithin(pause, true)),
    gap: draft.gap && meaningsWithin(draft.gap, false),
  };
}

export type DraftFaults = Readonly<Record<'start' | 'end' | 'breaks' | 'gap' | 'reason', string | undefined>>;

/** @param meanings of the draft without empty breaks */
export function faultsIn(meanings: Meanings, reason: string, words: Words): DraftFaults {
  const { start, end, breaks, gap } = meanings;
  const timeNeeded = words.correction_time_needed;
  const isMissing = (span: Span<Meaning>) => span.start.instant === undefined || span.end.instant === undefined;
  const isBackwards =
    start.instant !== undefined && end.instant !== undefined && byTime(start.instant, end.instant) >= 0;
  const isValid = !isMissing(meanings) && !isBackwards;
  const withoutGap = minutesOf({ ...meanings, gap: undefined });
  return {
    start: start.instant === undefined ? timeNeeded : undefined,
    end: end.instant === undefined ? timeNeeded : isBackwards ? words.correction_end_before : undefined,
    breaks: breaks.some(isMissing)
      ? timeNeeded
      : isValid && withoutGap === undefined
        ? words.correction_breaks_outside
        : undefined,
    gap:
      gap === undefined
        ? undefined
        : isMissing(gap)
          ? timeNeeded
          : withoutGap !== undefined && minutesOf(meanings) === undefined
            ? words.correction_gap_outside
            : undefined,
    reason: reason.trim() === '' ? words.correction_reason_needed : undefined,
  };
}

interface Times extends Span<string> {
  readonly breaks: Span<string>[];
}

/** The meaning of a draft without faults: the instants of one entry, or of the two it is split into. */
export function timesOf({ start, end, breaks, gap }: Meanings): [Times, ...Times[]] {
  const instantsOf = (span: Span<Meaning>) => ({ start: span.start.instant!, end: span.end.instant! });
  const entry = instantsOf({ start, end });
  const pauses = breaks.map(instantsOf);
  if (gap === undefined) return [{ ...entry, breaks: pauses }];
  const { start: gapStart, end: gapEnd } = instantsOf(gap);
  return [
    { start: entry.start, end: gapStart, breaks: pauses.filter((pause) => byTime(pause.end, gapStart) <= 0) },
    { start: gapEnd, end: entry.end, breaks: pauses.filter((pause) => byTime(pause.start, gapEnd) >= 0) },
  ];
}

/**
 * @returns elapsed minutes between the times without the breaks and the gap, as the service counts them; undefined
 * where they are incomplete or make no sense
 */
export function minutesOf({ start, end, breaks, gap }: Meanings): number | undefined {
  const entry = lengthOf({ start, end });
  const pauses = breaks.map(lengthOf);
  const pause = gap && lengthOf(gap);
  if (entry === undefined || pauses.includes(undefined) || (gap !== undefined && pause === undefined)) return undefined;
  const isInside = (outer: Span<number>, inner: Span<number>) => inner.start >= outer.start && inner.end <= outer.end;
  if (!pauses.every((pause) => isInside(entry, pause!))) return undefined;
  // Both entries have a time of their own, and no break is cut in two.
  if (pause !== undefined) {
    if (pause.start <= entry.start || pause.end >= entry.end) return undefined;
    if (pauses.some((otherPause) => otherPause!.start < pause.end && otherPause!.end > pause.start)) return undefined;
  }
  const sum = [pause, ...pauses].reduce((remaining, span) => remaining - (span?.length ?? 0), entry.length);
  return Math.floor(sum / 60_000);
}

function lengthOf({ start, end }: Span<Meaning>): (Span<number> & { readonly length: number }) | undefined {
  if (start.instant === undefined || end.instant === undefined) return undefined;
  const [from, to] = [Date.parse(start.instant), Date.parse(end.instant)];
  return to > from ? { start: from, end: to, length: to - from } : undefined;
}

/** Nearly always a slip: an end that was meant for the day of the start. */
export function isLong(start: string, end: string): boolean {
  return Date.parse(end) - Date.parse(start) > 16 * 3_600_000;
}
