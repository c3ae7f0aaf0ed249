import { describe, expect, it } from '@jest/globals';
import { type CompanyHoliday, hasLocalHolidays, holidaysIn, isHolidayRegion } from './holidays.js';

const dates = (country: string, region: string | null, year: number) =>
  holidaysIn(country, region)
    .ofYear(year)
    .map((holiday) => holiday.date);

describe('public holidays', () => {
  // Feiertagsgesetz Hamburg: the nine of all states and, since 2018, Reformation Day.
  it('public holidays are those of the region', () => {
    expect(dates('DE', 'DE-HH', 2026)).toEqual([
      '2026-01-01',
      '2026-04-03',
      '2026-04-06',
      '2026-05-01',
      '2026-05-14',
      '2026-05-25',
      '2026-10-03',
      '2026-10-31',
      '2026-12-25',
      '2026-12-26',
    ]);
    expect(dates('DE', 'DE-BY', 2026)).toEqual([
      '2026-01-01',
      '2026-01-06',
      '2026-04-03',
      '2026-04-06',
      '2026-05-01',
      '2026-05-14',
      '2026-05-25',
      '2026-06-04',
      '2026-10-03',
      '2026-11-01',
      '2026-12-25',
      '2026-12-26',
    ]);
    expect(dates('DE', null, 2026)).not.toContain('2026-10-31');
    expect(dates('DE', 'DE-HH', 2016)).not.toContain('2016-10-31');
  });

  it.each([
    ['DE-BY', 'assumption_day', ['2026-08-15']],
    ['DE-BY', 'augsburg', ['2026-08-08', '2026-08-15']],
    ['DE-SN', 'corpus_christi', ['2026-06-04']],
    ['DE-TH', 'corpus_christi', ['2026-06-04']],
  ] as const)('the public holidays of %s include those of the municipality: %s', (region, local, added) => {
    const ofRegion = dates('DE', region, 2026);
    const localDates = holidaysIn('DE', region, local)
      .ofYear(2026)
      .map(({ date }) => date);
    expect(localDates).toEqual([...ofRegion, ...added].sort());
    expect(hasLocalHolidays(region, local)).toBe(true);
    expect(hasLocalHolidays('DE-HH', local)).toBe(false);
    expect(dates('DE', region, 2026)).toEqual(ofRegion);
  });

  it('a company adds, halves and leaves out public holidays, in order of date', () => {
    const entry = (date: string, more: Partial<CompanyHoliday> = {}): CompanyHoliday => {
      const template = { date, kind: 'day_off', yearly: 0, last_date: null, name_de: 'Frei', name_en: 'Off' } as const;
      return { ...template, ...more };
    };
    const companyHolidays = [
      entry('2026-12-24', { kind: 'half_day', yearly: 1, last_date: '2028-12-31' }),
      entry('2026-12-26', { kind: 'working_day' }),
      entry('2024-02-29', { yearly: 1 }),
      entry('2027-12-24', { kind: 'public_holiday' }),
    ];
    const holidays = holidaysIn('DE', 'DE-HH', null, companyHolidays);
    const inDecember = (year: number) =>
      holidays
        .ofYear(year)
        .filter(({ date }) => date.slice(5, 7) === '12')
        .map(({ date, half }) => `${date.slice(8)}${half ? ' half' : ''}`);
    expect([2025, 2026, 2027, 2028, 2029].map(inDecember)).toEqual([
      ['25', '26'],
      ['24 half', '25'],
      ['24', '25', '26'],
      ['24 half', '25', '26'],
      ['25', '26'],
    ]);
    expect([holidays.on('2026-12-24')?.half, holidays.publicOn('2026-12-24')]).toEqual([true, undefined]);
    expect(holidays.publicOn('2027-12-24')?.name).toEqual({ de: 'Frei', en: 'Off' });
    expect([holidays.on('2028-02-29')?.public, holidays.on('2027-02-28'), holidays.on('2027-03-01')]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    expect(holidaysIn('DE', 'DE-HH').on('2026-12-24')).toBeUndefined();
  });

  it.each([
    [2024, '2024-03-29', '2024-05-20'],
    [2025, '2025-04-18', '2025-06-09'],
    [2027, '2027-03-26', '2027-05-17'],
    [2038, '2038-04-23', '2038-06-14'],
  ])('public holidays move with Easter in %i', (year, goodFriday, whitMonday) => {
    expect(dates('DE', 'DE-HH', year)).toEqual(expect.arrayContaining([goodFriday, whitMonday]));
  });

  it('public holidays leave out 24 and 31 December, which are free by custom only', () => {
    for (const year of [2023, 2025, 2026, 2028])
      expect(dates('DE', 'DE-HH', year)).not.toEqual(expect.arrayContaining([expect.stringMatching(/-12-(24|31)$/)]));
  });

  it('holidays that begin at sunset are the day after', () => {
    // Rosh Hashanah 5787 begins on the evening of 11 September 2026.
    expect(dates('IL', null, 2026)).toEqual(expect.arrayContaining(['2026-09-12', '2026-09-13']));
    expect(dates('IL', null, 2026)).not.toContain('2026-09-11');
  });

  it('public holidays have a name in each language', () => {
    expect(holidaysIn('DE', 'DE-HH').on('2026-05-14')?.name).toEqual({
      de: 'Christi Himmelfahrt',
      en: 'Ascension Day',
    });
    expect(holidaysIn('DE', 'DE-HH').on('2026-05-15')).toBeUndefined();
  });

  it('public holidays are none without a table, and stay right for requests of many years', () => {
    expect(dates('XX', null, 2026)).toEqual([]);
    for (let year = 1970; year < 2400; year += 1)
      expect(holidaysIn('DE', 'DE-HH').on(`${year}-05-01`)?.date).toBe(`${year}-05-01`);
    expect(holidaysIn('DE', 'DE-HH').on('2026-10-03')?.date).toBe('2026-10-03');
  });

  it.each([
    ['DE', '2026-10-03', 'German Unity Day'],
    ['AT', '2026-10-26', 'Austrian National Day'],
    ['CH', '2026-08-01', 'Swiss National Day'],
  ])('public holidays include the national day of %s', (country, date, name) => {
    expect(holidaysIn(country, null).on(date)?.name.en).toBe(name);
  });

  it('public holidays know the regions of a country', () => {
    expect(isHolidayRegion('DE', 'DE-HH')).toBe(true);
    for (const region of ['DE-ZZ', 'AT-9', 'DE-hh', 'DE-constructor', 'DE-'])
      expect(isHolidayRegion('DE', region)).toBe(false);
    expect(isHolidayRegion('XX', 'XX-HH')).toBe(false);
  });
});
