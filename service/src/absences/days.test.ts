import { addDays } from '@clockproof/platform/time/local-date';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holidaysIn } from '../working-time/holidays.js';
import { scheduledOn, standardWeek, type Week } from '../working-time/schedule.js';
import { countHalfDays, shareDay, type Workdays } from './days.js';

const hamburg = holidaysIn('DE', 'DE-HH');
const bavaria = holidaysIn('DE', 'DE-BY');
const works =
  (week: Week, holidays = hamburg): Workdays =>
  (date, absence = { half_day: null }) =>
    shareDay(
      scheduledOn({ personSchedules: [{ validFrom: '2020-01-01', week }], company: [] }, holidays.on(date), date)
        .halves,
      [absence],
    )[0]!;
const days = (start_date: string, end_date: string, workdays: Workdays, half_day: 'morning' | null = null) =>
  countHalfDays({ start_date, end_date, half_day }, workdays) / 2;

describe('days of an absence', () => {
  it.each([
    ['a week', '2026-11-23', '2026-11-29', works(standardWeek), 5],
    ['a weekend', '2026-11-28', '2026-11-29', works(standardWeek), 0],
    ['Christmas: 25 and 26 December are free', '2026-12-21', '2026-12-31', works(standardWeek), 8],
    ['Easter: Good Friday and Monday are free', '2026-04-02', '2026-04-07', works(standardWeek), 2],
    ['Reformation Day is free in Hamburg', '2025-10-31', '2025-10-31', works(standardWeek), 0],
    ['and not in Bavaria', '2025-10-31', '2025-10-31', works(standardWeek, bavaria), 1],
    ['three days a week', '2026-11-23', '2026-12-06', works([480, 480, 480, 0, 0, 0, 0]), 6],
    ['a Saturday on which one works', '2026-11-28', '2026-11-29', works([0, 0, 0, 0, 0, 300, 0]), 1],
    ['29 February', '2028-02-29', '2028-02-29', works(standardWeek), 1],
    ['across the end of the year', '2026-12-31', '2027-01-04', works(standardWeek), 2],
  ] as const)('an absence counts its working days: %s', (_, from, to, workdays, expected) =>
    expect(days(from, to, workdays)).toBe(expected),
  );

  it('the days of an absence are half for half a day, and none on a free one', () => {
    expect(days('2026-11-23', '2026-11-23', works(standardWeek), 'morning')).toBe(0.5);
    expect(days('2026-11-29', '2026-11-29', works(standardWeek), 'morning')).toBe(0);
  });

  it('the days of an absence are half on half a holiday, for half a day of absence too', () => {
    const halfDay = (date: string) =>
      ({ date, kind: 'half_day', yearly: 1, last_date: null, name_de: 'halb', name_en: 'half' }) as const;
    const holidays = holidaysIn('DE', 'DE-HH', null, [halfDay('2020-12-24'), halfDay('2020-12-31')]);
    expect(days('2026-12-21', '2026-12-31', works(standardWeek, holidays))).toBe(7);
    expect(days('2026-12-24', '2026-12-24', works(standardWeek, holidays))).toBe(0.5);
    expect(days('2026-12-24', '2026-12-24', works(standardWeek, holidays), 'morning')).toBe(0.5);
  });

  it.each([
    ['two halves of a day', 2, ['morning', 'afternoon'], [1, 1]],
    ['two halves of half a holiday', 1, ['morning', 'afternoon'], [1, 0]],
    ['the same half at two places', 1, ['morning', 'morning'], [1, 1]],
    ['the same half at two places, and the other', 2, ['morning', 'morning', 'afternoon'], [1, 1, 1]],
    ['whole days at two places', 2, [null, null], [2, 2]],
    ['a holiday', 0, [null, 'morning'], [0, 0]],
  ] as const)('absences of one day share it: %s', (_, due, halves, expected) => {
    expect(
      shareDay(
        due,
        halves.map((half_day) => ({ half_day })),
      ),
    ).toEqual(expected);
  });

  it('the days of two neighbouring absences add up to those of the whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 60 }), (offset, length) => {
        const start = addDays('2026-01-01', offset);
        const [middle, end] = [addDays(start, Math.floor(length / 2)), addDays(start, length)];
        const workdays = works(standardWeek);
        expect(days(start, middle, workdays) + (middle < end ? days(addDays(middle, 1), end, workdays) : 0)).toBe(
          days(start, end, workdays),
        );
      }),
    );
  });
});
