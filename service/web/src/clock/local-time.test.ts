import { describe, expect, it } from '@jest/globals';
import { calendarFormats } from '../parts/calendar.js';
import { zoneOf } from '../parts/zone.js';
import { instantsOf, readTime } from './local-time.js';

describe('a typed time', () => {
  it.each([
    ['7:44', '07:44'],
    ['0744', '07:44'],
    ['744', '07:44'],
    ['7.44', '07:44'],
    ['7h44', '07:44'],
    [' 23:59 ', '23:59'],
    ['7', '07:00'],
    ['0', '00:00'],
  ])('the typed time %j means %s', (text, time) => {
    expect(readTime(text)).toBe(time);
  });

  it.each(['24:00', '7:60', '', '12:3', 'noon', '-1:00', '007:00', '12345'])('the typed time %j means none', (text) => {
    expect(readTime(text)).toBeUndefined();
  });
});

describe('a time of the company as an instant', () => {
  const berlin = calendarFormats('en', zoneOf({ time_zone: 'Europe/Berlin' }));
  it.each([
    ['in winter', '2026-11-23', '07:44', '2026-11-23T06:44:00Z'],
    ['in summer', '2026-07-01', '07:44', '2026-07-01T05:44:00Z'],
    ['just before the clocks go forward', '2026-03-29', '01:59', '2026-03-29T00:59:00Z'],
    ['just after', '2026-03-29', '03:00', '2026-03-29T01:00:00Z'],
    ['in the hour that is skipped', '2026-03-29', '02:30', '2026-03-29T01:30:00Z'],
    ['before the hour that comes twice', '2026-10-25', '01:59', '2026-10-24T23:59:00Z'],
    ['in the hour that comes twice', '2026-10-25', '02:30', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
    ['after it', '2026-10-25', '03:00', '2026-10-25T02:00:00Z'],
    ['at midnight', '2026-11-23', '00:00', '2026-11-22T23:00:00Z'],
  ])('a time of the company becomes its instants: %s', (_, date, time, ...instants) => {
    expect(instantsOf(date, time, berlin)).toEqual(instants);
  });

  it.each([
    ['Pacific/Kiritimati', '2026-01-01T00:30:00Z', '2026-01-01', '14:30'],
    ['Asia/Kathmandu', '2026-01-01T00:30:00Z', '2026-01-01', '06:15'],
    ['America/St_Johns', '2026-01-01T00:30:00Z', '2025-12-31', '21:00'],
  ])('a typed time becomes an instant in %s', (zone, instant, date, time) => {
    expect(instantsOf(date, time, calendarFormats('en', zoneOf({ time_zone: zone })))).toEqual([instant]);
  });
});
