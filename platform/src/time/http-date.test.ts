import { describe, expect, it } from '@jest/globals';
import { parseHttpDate } from './http-date.js';

const at = Date.parse('2026-11-23T12:00:00Z');
const example = Date.parse('1994-11-06T08:49:37Z');

describe('a date of HTTP', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', example],
    ['Sunday, 06-Nov-94 08:49:37 GMT', example],
    ['Sun Nov  6 08:49:37 1994', example],
    ['Sun Nov 16 08:49:37 1994', Date.parse('1994-11-16T08:49:37Z')],
    ['Monday, 23-Nov-26 12:10:00 GMT', Date.parse('2026-11-23T12:10:00Z')],
    ['Monday, 23-Nov-75 12:10:00 GMT', Date.parse('2075-11-23T12:10:00Z')],
    ['Monday, 23-Nov-77 12:10:00 GMT', Date.parse('1977-11-23T12:10:00Z')],
  ])('a date of HTTP is read in each form of RFC 9110: %s', (text, instant) => {
    expect(parseHttpDate(text, at)).toBe(instant);
  });

  it.each([
    '2026-11-23T12:10:00Z',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 CET',
    'tomorrow',
    'Sun Nov 6 08:49:37 1994',
    'Sun, 06 Nov 1994 25:49:37 GMT',
  ])('a date of HTTP has no other form: %s', (text) => {
    expect(parseHttpDate(text, at)).toBeUndefined();
  });
});
