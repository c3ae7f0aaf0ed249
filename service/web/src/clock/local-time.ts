/** Times as people type them, and the instants they mean in the company's time zone. */
import type { CalendarFormats } from '../parts/calendar.js';

/** @returns `07:44` for `7:44`, `0744`, `744` or `7`; undefined if it is no time of the day */
export function readTime(text: string): string | undefined {
  const found = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$/.exec(text.trim());
  const hours = Number(found?.[1]);
  const minutes = Number(found?.[2] ?? 0);
  if (found === null || hours > 23 || minutes > 59) return undefined;
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

/** @param date `2026-11-23` @param time `07:44`; the earlier of two at the end of summer time */
export function instantOf(date: string, time: string, calendar: CalendarFormats): string {
  const wanted = Date.parse(`${date}T${time}:00Z`);
  const shownAt = (instant: number) => {
    const iso = new Date(instant).toISOString();
    return Date.parse(`${calendar.dateOf(iso)}T${calendar.time(iso)}:00Z`);
  };
  // Zones lie at most 14 hours from UTC; the second step corrects an offset that changes on that day.
  let instant = wanted - (shownAt(wanted) - wanted);
  instant -= shownAt(instant) - wanted;
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}
