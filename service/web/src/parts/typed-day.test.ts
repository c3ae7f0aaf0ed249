import { describe, expect, it } from '@jest/globals';
import { typedDay } from './typed-day.js';

describe('a typed day', () => {
  it.each([
    ['08.01.2027', '2027-01-08'],
    ['8.1.2027', '2027-01-08'],
    ['8/1/2027', '2027-01-08'],
    [' 31/12/2026 ', '2026-12-31'],
    ['29.2.2028', '2028-02-29'],
    ['2027-01-08', '2027-01-08'],
  ])('reads %s with the day before the month', (text, day) => {
    expect(typedDay(text)).toBe(day);
  });

  it.each([
    '',
    '2',
    '21.12',
    '21.12.',
    '21.12.20',
    '8.1',
    '12/31/2026',
    '29.2.2027',
    '31.04.2027',
    '8.1/2027',
    'May 5',
  ])('does not read %s', (text) => {
    expect(typedDay(text)).toBeNull();
  });
});
