import { describe, expect, it } from '@jest/globals';
import { calendarFormats, daysOf, isWeekend, plusDays, plusMonths } from './calendar.js';
import { zoneOf } from './zone.js';

const en = calendarFormats('en', zoneOf({ time_zone: 'Europe/Berlin' }));
const de = calendarFormats('de', zoneOf({ time_zone: 'Europe/Berlin' }));

describe('a calendar', () => {
  it.each([
    ['the same day', '2026-12-23', '2026-12-23', 'Wed 23 Dec', 'Mi 23. Dez.'],
    ['one month', '2026-12-23', '2026-12-28', 'Wed 23 – Mon 28 Dec', 'Mi 23. – Mo 28. Dez.'],
    ['two months', '2026-11-30', '2026-12-01', 'Mon 30 Nov – Tue 1 Dec', 'Mo 30. Nov. – Di 1. Dez.'],
    ['two years', '2026-12-31', '2027-01-01', '31 Dec 2026 – 1 Jan 2027', '31. Dez. 2026 – 1. Jan. 2027'],
  ])('a calendar writes a span within %s', (_, from, to, english, german) => {
    expect([en.span(from, to), de.span(from, to)]).toEqual([english, german]);
  });

  it.each([
    [0, '0:00', '0:00'],
    [485, '8:05', '+8:05'],
    [-15, '−0:15', '−0:15'],
    [-60, '−1:00', '−1:00'],
    [60_000, '1,000:00', '+1,000:00'],
  ])('a calendar writes %i minutes', (minutes, duration, signed) => {
    expect([en.duration(minutes), en.signed(minutes)]).toEqual([duration, signed]);
  });

  it.each([
    [0, '0'],
    [0.5, '½'],
    [-0.5, '−½'],
    [11.5, '11½'],
    [-3, '−3'],
  ])('a calendar writes %d days', (count, text) => {
    expect(en.days(count)).toBe(text);
  });

  it('a calendar has the days of the company, not those of UTC', () => {
    expect(en.dateOf('2026-11-21T23:27:05Z')).toBe('2026-11-22');
    expect(calendarFormats('en', zoneOf({ time_zone: 'America/New_York' })).dateOf('2026-11-22T03:00:00Z')).toBe(
      '2026-11-21',
    );
  });

  it('a calendar counts days and months over their ends', () => {
    expect([plusDays('2028-02-28', 1), plusDays('2026-03-01', -1), plusDays('2026-12-31', 1)]).toEqual([
      '2028-02-29',
      '2026-02-28',
      '2027-01-01',
    ]);
    expect([plusMonths('2026-12', 1), plusMonths('2026-01', -1), plusMonths('2026-11', 14)]).toEqual([
      '2027-01',
      '2025-12',
      '2028-01',
    ]);
    expect(daysOf('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(daysOf('2026-03-01', '2026-02-27')).toEqual([]);
    expect(['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'].map(isWeekend)).toEqual([false, true, true, false]);
  });
});

describe('a time of day', () => {
  it.each([
    ['of a common hour', '2026-10-25T02:30:09Z', '03:30', '03:30:09', 'Sun 25 Oct, 03:30'],
    ['before the clocks are set back', '2026-10-25T00:15:09Z', '02:15 CEST', '02:15:09 CEST', 'Sun 25 Oct, 02:15 CEST'],
    ['after the clocks are set back', '2026-10-25T01:15:09Z', '02:15 CET', '02:15:09 CET', 'Sun 25 Oct, 02:15 CET'],
  ])('a time %s is unmistakable', (_, instant, clock, second, since) => {
    expect([en.clock(instant), en.second(instant), en.since(instant)]).toEqual([clock, second, since]);
  });

  it('a field takes a time without the name of a zone', () => {
    expect(en.time('2026-10-25T01:15:09Z')).toBe('02:15');
  });
});

describe('the times of an entry', () => {
  it.each([
    ['of one day', '2026-11-23T06:54:00Z', '2026-11-23T15:30:00Z', '07:54 – 16:30'],
    ['until the next day', '2026-11-23T21:00:00Z', '2026-11-24T05:00:00Z', '22:00 – 06:00 (+1 day)'],
    ['over an hour that comes twice', '2026-10-25T00:15:00Z', '2026-10-25T01:15:00Z', '02:15 CEST – 02:15 CET'],
    ['before and after it', '2026-10-24T23:59:00Z', '2026-10-25T02:00:00Z', '01:59 – 03:00'],
    ['without an end', '2026-11-23T06:54:00Z', undefined, '07:54 – open'],
  ])('the times of an entry are written %s', (_, start, end, text) => {
    expect(en.times(start, end, 'open')).toBe(text);
  });
});
