/** The days of a month with the records of each, and the balance at its end. */
import type { Schemas } from '../api/session.js';
import type { DayRow } from '../clock/day-row.js';
import { type Day, type Entry, partsOf, stands } from '../clock/entries.js';
import type { CalendarFormats } from '../parts/calendar.js';

interface MonthRecords {
  readonly days: readonly Day[];
  readonly entries: readonly Entry[];
  readonly corrections: readonly Schemas['Correction'][];
  readonly month: Schemas['MonthBalance'] | undefined;
  /** Undefined while they load. */
  readonly bookings: readonly Schemas['TimeAccountLine'][] | undefined;
}

/** @param today no balance is shown for it, nor for later days */
export function rowsOf(
  { days, entries, corrections, month, bookings }: MonthRecords,
  today: string,
  calendar: CalendarFormats,
): readonly DayRow[] {
  let balance = month?.carried_minutes ?? 0;
  return days.map((day) => {
    const dayEntries = entries.filter(({ date }) => date === day.date);
    const isPast = day.date < today;
    if (isPast) balance += day.difference_minutes;
    for (const booking of bookings ?? []) if (booking.date === day.date) balance += booking.minutes;
    const standingEntries = dayEntries.filter(stands);
    const hasForgottenEntry = standingEntries.some(({ end }) => end === undefined) && isPast;
    return {
      ...day,
      entries: dayEntries,
      corrections: corrections.filter(
        ({ entry, start }) => (entry?.date ?? (start === undefined ? '' : calendar.dateOf(start))) === day.date,
      ),
      parts: partsOf(standingEntries, calendar, day.date === today ? Date.now() : undefined),
      past: isPast,
      balance: isPast && month !== undefined && bookings !== undefined ? balance : undefined,
      flagged: hasForgottenEntry || day.warnings?.some(({ code }) => code === 'clock_out_missing') === true,
    };
  });
}
