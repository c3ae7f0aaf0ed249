import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { calendar } from './calendar.js';
import { formatInstant, parseInstant } from './instant.js';
import { addDays, daysInclusive, localDateAt, parseLocalDate, startOfDay } from './local-date.js';
import { readZone } from './zone.js';

const berlin = readZone('Europe/Berlin')!;

describe('instants', () => {
  it('instants are written as RFC 3339 in UTC, as Date writes them', () => {
    fc.assert(
      fc.property(fc.integer({ min: calendar.firstInstant, max: calendar.lastInstant }), (at) => {
        expect(formatInstant(at)).toBe(new Date(at).toISOString().replace('.000Z', 'Z'));
        expect(parseInstant(formatInstant(at))).toBe(at);
      }),
    );
  });
  it('instants are read with offset and fraction', () => {
    expect(parseInstant('2026-11-21T08:58:03+01:00')).toBe(Date.UTC(2026, 10, 21, 7, 58, 3));
    expect(parseInstant('2026-11-21T07:58:03.2509Z')).toBe(Date.UTC(2026, 10, 21, 7, 58, 3, 250));
    expect(parseInstant('2024-02-29T00:00:00-23:59')).toBe(Date.UTC(2024, 1, 29, 23, 59));
  });
  it.each([
    '2025-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-00-01T00:00:00Z',
    '2025-01-00T00:00:00Z',
    '2025-01-01T24:00:00Z',
    '2025-01-01T00:60:00Z',
    '2025-01-01T00:00:60Z',
    '2025-01-01 00:00:00Z',
    '2025-01-01T00:00:00',
    '2025-01-01T00:00:00z',
    '2025-01-01t00:00:00Z',
    '2025-01-01T00:00:00+24:00',
    '2025-01-01T00:00:00+0100',
    '2025-01-01T00:00Z',
    '1969-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '0026-01-01T00:00:00Z',
    '2200-01-01T00:00:00Z',
    '2199-12-31T23:59:59-00:01',
    '9999-12-31T23:59:59Z',
    '+02025-01-01T00:00:00Z',
    '２０２５-01-01T00:00:00Z',
    '2025-01-01T00:00:00.Z',
    ' 2025-01-01T00:00:00Z',
    '1970-01-01T00:00:00+00:01',
  ])('%s is refused as an instant', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe('local dates', () => {
  it.each([
    '2025-02-30',
    '2025-1-1',
    '20250101',
    '2025-01-01T00:00:00Z',
    '２０２５-01-01',
    '1969-12-31',
    '0001-01-01',
    '2025-02-29',
    '1900-02-29',
    ' 2025-01-01',
  ])('%s is refused as a local date', (text) => {
    expect(parseLocalDate(text)).toBeUndefined();
  });
  it('local dates are counted as calendars count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_932_896 - 800 }), fc.integer({ min: 0, max: 800 }), (from, more) => {
        const startDate = Temporal.PlainDate.from('1970-01-01').add({ days: from });
        const date = startDate.toString();
        expect(addDays(date, more)).toBe(startDate.add({ days: more }).toString());
        expect(daysInclusive(date, addDays(date, more))).toBe(more + 1);
        expect(addDays(addDays(date, more), -more)).toBe(date);
      }),
    );
  });
  it('local dates reach beyond the calendar on both sides, as texts that still sort', () => {
    for (const [date, days] of [
      [calendar.firstDate, -100_000],
      [calendar.lastDate, 100_000],
    ] as const) {
      const movedDate = addDays(date, days);
      expect(movedDate).toBe(Temporal.PlainDate.from(date).add({ days }).toString());
      expect(addDays(movedDate, -days)).toBe(date);
      expect(parseLocalDate(date)).toBe(date);
      expect(parseLocalDate(addDays(date, Math.sign(days)))).toBeUndefined();
    }
    expect(() => addDays(calendar.firstDate, -400_000)).toThrow(RangeError);
    expect(() => addDays(calendar.lastDate, 3_000_000)).toThrow(RangeError);
  });
  it('local dates know leap years, zones and days of 23 and 25 hours', () => {
    expect(parseLocalDate('2024-02-29')).toBe('2024-02-29');
    expect(localDateAt(parseInstant('2026-10-31T23:00:00Z')!, berlin)).toBe('2026-11-01');
    expect(localDateAt(parseInstant('2026-10-31T22:59:59Z')!, berlin)).toBe('2026-10-31');
    expect(startOfDay('2026-10-26', berlin) - startOfDay('2026-10-25', berlin)).toBe(25 * 3_600_000);
    expect(startOfDay('2026-03-30', berlin) - startOfDay('2026-03-29', berlin)).toBe(23 * 3_600_000);
    expect([
      daysInclusive('2025-11-23', '2026-11-23'),
      daysInclusive('2026-01-01', '2026-01-01'),
      addDays('2026-12-31', 1),
    ]).toEqual([366, 1, '2027-01-01']);
  });
});
