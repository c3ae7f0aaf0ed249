import { describe, expect, it } from '@jest/globals';
import type { Day, Entry } from '../clock/entries.js';
import { calendarFormats } from '../parts/calendar.js';
import { zoneOf } from '../parts/zone.js';
import { rowsOf } from './month-rows.js';

const calendar = calendarFormats('en', zoneOf({ time_zone: 'Europe/Berlin' }));
const day = (date: string, difference: number): Day =>
  ({ date, difference_minutes: difference, warnings: [] }) as unknown as Day;
const entry = (date: string, end?: string): Entry =>
  ({ id: 1, date, start: `${date}T07:00:00Z`, end, breaks: [] }) as unknown as Entry;
const days = [day('2026-11-18', 30), day('2026-11-19', -20), day('2026-11-20', 5)];
const records = {
  days,
  entries: [] as readonly Entry[],
  corrections: [],
  month: { carried_minutes: 100 } as never,
  bookings: [] as never,
};
const today = '2026-11-20';

describe('the rows of a month', () => {
  it('the rows of a month carry the balance from day to day, up to yesterday', () => {
    expect(rowsOf(records, today, calendar).map(({ balance }) => balance)).toEqual([130, 110, undefined]);
  });

  it('the rows of a month count a booking from its day on', () => {
    const bookings = [{ date: '2026-11-19', minutes: -60 }] as never;
    expect(rowsOf({ ...records, bookings }, today, calendar).map(({ balance }) => balance)).toEqual([
      130,
      50,
      undefined,
    ]);
  });

  it('the rows of a month show no balance while the month or its bookings are not known', () => {
    for (const unknown of [{ month: undefined }, { bookings: undefined }])
      expect(rowsOf({ ...records, ...unknown }, today, calendar).map(({ balance }) => balance)).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
  });

  it('the rows of a month flag a day without a clock-out, not today', () => {
    const entries = [entry('2026-11-18', '2026-11-18T15:00:00Z'), entry('2026-11-19'), entry('2026-11-20')];
    expect(rowsOf({ ...records, entries }, today, calendar).map(({ flagged }) => flagged)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('the rows of a month neither draw nor flag a struck-out entry', () => {
    const struckOut = { ...entry('2026-11-18'), status: 'rejected' } as Entry;
    const [row] = rowsOf({ ...records, entries: [struckOut] }, today, calendar);
    expect(row).toMatchObject({ parts: [], flagged: false, entries: [struckOut] });
  });

  it('the rows of a month hold a correction on the day of its entry, or of its own start', () => {
    const corrections = [
      { id: 'of an entry', entry: { date: '2026-11-18' }, start: '2026-11-17T23:30:00Z' },
      { id: 'after midnight', start: '2026-11-18T23:30:00Z' },
    ] as never;
    expect(
      rowsOf({ ...records, corrections }, today, calendar).map((row) => row.corrections.map(({ id }) => id)),
    ).toEqual([['of an entry'], ['after midnight'], []]);
  });
});
