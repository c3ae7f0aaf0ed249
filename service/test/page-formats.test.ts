/** Days and instants on the pages have one form, in each language. */
import { describe, expect, it } from '@jest/globals';

const file: string = '../web/src/parts/formats.js';
const { formatsOf } = (await import(file)) as {
  formatsOf(
    language: 'de' | 'en',
    timeZone: string | undefined,
  ): Readonly<Record<'instant' | 'second' | 'day' | 'clock', (value: string) => string>>;
};

const calendarFile: string = '../web/src/parts/calendar.js';
const { calendarFormats } = (await import(calendarFile)) as {
  calendarFormats(language: 'de' | 'en', timeZone: string): Readonly<Record<'since', (instant: string) => string>>;
};

describe('times on the pages', () => {
  it('times on the pages end no German sentence with two full stops: a short month has one', async () => {
    const words: string = '../web/src/words/company.de.js';
    const { companyDe: company } = (await import(words)) as {
      companyDe: Readonly<Record<'months_closed_on' | 'record_done', (...parts: readonly string[]) => string>>;
    };
    expect(company.months_closed_on('Mo 23. Nov.', 'Lea Krüger')).toBe('Am Mo 23. Nov. von Lea Krüger abgeschlossen.');
    expect(company.months_closed_on('Mo 23. Nov.')).toBe('Am Mo 23. Nov. abgeschlossen.');
    expect(company.record_done('Mo 23. Nov.')).toBe('Mo 23. Nov. eingetragen.');
  });

  it('times on the pages name their day where it is not today', () => {
    const { since } = calendarFormats('en', 'Europe/Berlin');
    expect(since('2026-01-09T06:52:00Z')).toBe('Fri 9 Jan, 07:52');
    expect(since(new Date().toISOString())).toMatch(/^\d\d:\d\d$/);
  });

  it.each([
    ['de', '22.11.2026', '22.11.2026, 00:27', '22.11.2026, 00:27:05', '00:27:05'],
    ['en', '22 Nov 2026', '22 Nov 2026, 00:27', '22 Nov 2026, 00:27:05', '00:27:05'],
  ] as const)('times have one form in %s, in the company zone', (language, day, instant, second, clock) => {
    const formats = formatsOf(language, 'Europe/Berlin');
    const value = '2026-11-21T23:27:05Z';
    expect([formats.day(value), formats.instant(value), formats.second(value), formats.clock(value)]).toEqual([
      day,
      instant,
      second,
      clock,
    ]);
  });

  it('the pages count the minutes of a stamped day as the service does, without rounding up', async () => {
    const words: string = '../web/src/inbox/approval-words.js';
    const { workedIn } = (await import(words)) as {
      workedIn(work: { start: string; end: string; breaks: { start: string; end: string }[] }): number;
    };
    const at = (time: string) => `2026-11-19T${time}Z`;
    const breaks = [{ start: at('11:15:48'), end: at('11:58:59') }];
    // 8:19:26, of which the day has 8:19.
    expect(workedIn({ start: at('07:30:33'), end: at('16:33:10'), breaks })).toBe(8 * 60 + 19);
  });
});
