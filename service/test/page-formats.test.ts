/** Days and instants on the pages have one form, in each language. */
import { describe, expect, it } from '@jest/globals';

const file: string = '../web/src/words/words.js';
const { formatsOf } = (await import(file)) as {
  formatsOf(
    language: 'de' | 'en',
    timeZone: string | undefined,
  ): Readonly<Record<'instant' | 'second' | 'day' | 'clock', (value: string) => string>>;
};

describe('times on the pages', () => {
  it.each([
    ['de', '22.11.2026', '22.11.2026, 00:27', '22.11.2026, 00:27:05', '00:27:05'],
    ['en', '22 Nov 2026', '22 Nov 2026, 00:27', '22 Nov 2026, 00:27:05', '00:27:05'],
  ] as const)('have one form in %s, in the time zone of the company', (language, day, instant, second, clock) => {
    const formats = formatsOf(language, 'Europe/Berlin');
    const value = '2026-11-21T23:27:05Z';
    expect([formats.day(value), formats.instant(value), formats.second(value), formats.clock(value)]).toEqual([
      day,
      instant,
      second,
      clock,
    ]);
  });
});
