/** The days of a person: the data of the start page and the month, and the bars of entries. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import type { CalendarFormats } from '../parts/calendar.js';
import type { BarPart } from '../parts/day-bar.js';

export type Entry = Schemas['PersonEntry'];
export type Day = Schemas['DayBalance'];

export function useOverview(): UseQueryResult<Schemas['Overview']> {
  return useQuery({ queryKey: ['overview'], queryFn: () => ask(client.GET('/app/me/overview')) });
}

/** Every entry of a period. @param personId undefined: the signed-in person's own */
export function useEntries(from: string, to: string, personId?: number): UseQueryResult<readonly Entry[]> {
  return useQuery({
    queryKey: personId === undefined ? ['my-entries', from, to] : ['entries-of', personId, from, to],
    queryFn: async () => {
      const entries: Entry[] = [];
      let cursor: string | undefined;
      do {
        const query = { from, to, limit: 200, cursor };
        const page = await ask(
          personId === undefined
            ? client.GET('/app/me/entries', { params: { query } })
            : client.GET('/app/people/{id}/entries', { params: { path: { id: personId }, query } }),
        );
        entries.push(...page.data);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return entries;
    },
  });
}

/** Whether an entry is neither struck out nor rejected. */
export function stands({ status }: Entry): boolean {
  return status !== 'rejected';
}

/** Whether an entry is time worked: a pending one is not yet. */
export function counts(entry: Entry): boolean {
  return stands(entry) && entry.status !== 'pending';
}

/** Whether an entry can be corrected: a pending one is decided as it is. */
export function isCorrectable(entry: Entry): boolean {
  return counts(entry);
}

/** The queries that show the time of others, by the first word of their key. */
export const timeOfOthers = [
  'days-of',
  'entries-of',
  'months-of',
  'history-of',
  'without-end',
  'bulk-rows',
  'months',
  'report',
  'presence',
  'my-people',
] as const;

/** Milliseconds worked by an entry, up to `now` where it is open. */
export function workedOf(entry: Entry, now: number): number {
  const end = entry.end === undefined ? now : Date.parse(entry.end);
  const breaks = entry.breaks.reduce(
    (sum, pause) =>
      sum + Math.max(0, (pause.end === undefined ? end : Date.parse(pause.end)) - Date.parse(pause.start)),
    0,
  );
  return Math.max(0, end - Date.parse(entry.start) - breaks);
}

/** @returns minutes since the midnight that begins `date`, as the clocks of the company show them */
export function minuteOf(instant: string | number, date: string, calendar: CalendarFormats): number {
  const moment = new Date(instant);
  const [hours, minutes] = calendar.time(moment.toISOString()).split(':').map(Number) as [number, number];
  const days = Math.round((Date.parse(calendar.dateOf(moment)) - Date.parse(date)) / 86_400_000);
  return days * 1440 + hours * 60 + minutes;
}

/** @param now end of the bar of an open entry, in milliseconds; undefined if its clock-out is missing */
export function partsOf(entries: readonly Entry[], calendar: CalendarFormats, now: number | undefined): BarPart[] {
  return entries.flatMap((entry): BarPart[] => {
    const at = (instant: string | number) => minuteOf(instant, entry.date, calendar);
    const from = at(entry.start);
    const open = entry.end === undefined;
    const last = entry.breaks.at(-1);
    // Without a clock-out the work is known up to the last stamp.
    const lastEnd = last === undefined ? from + 60 : at(last.end ?? last.start);
    const to = entry.end !== undefined ? at(entry.end) : now !== undefined ? at(now) : lastEnd;
    const pauses = entry.breaks.map((pause) => ({
      from: at(pause.start),
      to: pause.end === undefined ? to : at(pause.end),
    }));
    const parts: BarPart[] = [];
    let begin = from;
    for (const pause of pauses) {
      parts.push({ kind: 'work', from: begin, to: pause.from }, { kind: 'break', ...pause });
      begin = pause.to;
    }
    parts.push({ kind: 'work', from: begin, to });
    if (open && now === undefined) parts.push({ kind: 'missing', from: to, to: Math.max(to + 60, 17 * 60) });
    return parts.filter((part) => part.to > part.from);
  });
}
