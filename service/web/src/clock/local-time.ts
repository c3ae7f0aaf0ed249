/** Times as people type them, and the instants they mean in a time zone. */
import type { CalendarFormats } from '../parts/calendar.js';

/** @returns `07:44` for `7:44`, `0744`, `744` or `7`; undefined if it is no time of the day */
export function readTime(text: string): string | undefined {
  const parts = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$/.exec(text.trim());
  const hours = Number(parts?.[1]);
  const minutes = Number(parts?.[2] ?? 0);
  if (parts === null || hours > 23 || minutes > 59) return undefined;
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

/**
 * The instants at which the clocks of a zone show a time on a day, in order: two in the hour that comes twice. A
 * skipped time counts on from before.
 * @param date `2026-11-23`
 * @param time `07:44`
 */
export function instantsOf(date: string, time: string, calendar: CalendarFormats): string[] {
  const wallTime = Date.parse(`${date}T${time}:00Z`);
  const shownAt = (instant: number) => {
    const iso = new Date(instant).toISOString();
    return Date.parse(`${calendar.dateOf(iso)}T${calendar.time(iso)}:00Z`);
  };
  const offsetAt = (instant: number) => shownAt(instant) - instant;
  // The offset of the day before and of the day after: each of them may hold at the time.
  const [offsetBefore, offsetAfter] = [offsetAt(wallTime - dayMilliseconds), offsetAt(wallTime + dayMilliseconds)];
  const candidates = [
    ...new Set([wallTime - Math.max(offsetBefore, offsetAfter), wallTime - Math.min(offsetBefore, offsetAfter)]),
  ];
  const matches = candidates.filter((candidate) => shownAt(candidate) === wallTime);
  const instants = matches.length === 0 ? [wallTime - offsetBefore] : matches;
  return instants.map((instant) => `${new Date(instant).toISOString().slice(0, 19)}Z`);
}

const dayMilliseconds = 86_400_000;
