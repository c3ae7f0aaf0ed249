import { addDays } from '@clockproof/platform/time/local-date';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holidaysIn } from './holidays.js';
import { isWorkingDay, standardWeek, targetMinutes, type Week, weekdayOf, weekOn } from './schedule.js';

const hamburg = holidaysIn('DE', 'DE-HH');
const partTime: Week = [360, 360, 360, 0, 0, 0, 0];
const weekend: Week = [0, 0, 0, 0, 0, 300, 300];

describe('schedules', () => {
  it('count weekdays from Monday', () => {
    expect(['2026-11-23', '2026-11-29', '1970-01-01', '2024-02-29', '2000-01-01'].map(weekdayOf)).toEqual([
      0, 6, 3, 3, 5,
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 80_000 }), (days) => {
        const date = addDays('1970-01-01', days);
        expect(weekdayOf(date)).toBe((new Date(`${date}T12:00:00Z`).getUTCDay() + 6) % 7);
      }),
    );
  });

  it('are the newest of the person, else the newest of the company, else five days of eight hours', () => {
    const schedules = {
      own: [
        { validFrom: '2026-06-01', week: partTime },
        { validFrom: '2026-12-01', week: weekend },
      ],
      company: [{ validFrom: '2020-01-01', week: [420, 420, 420, 420, 420, 0, 0] as const }],
    };
    expect(weekOn(schedules, '2019-12-31')).toBe(standardWeek);
    expect(weekOn(schedules, '2020-01-01')[0]).toBe(420);
    expect(weekOn(schedules, '2026-05-31')[0]).toBe(420);
    expect(weekOn(schedules, '2026-06-01')).toBe(partTime);
    expect(weekOn(schedules, '2026-11-30')).toBe(partTime);
    expect(weekOn(schedules, '2026-12-01')).toBe(weekend);
  });

  it('ask for nothing on public holidays and free weekdays', () => {
    const schedules = { own: [], company: [] };
    expect(targetMinutes(schedules, hamburg, '2026-11-23')).toBe(480);
    expect(targetMinutes(schedules, hamburg, '2026-11-28')).toBe(0);
    expect(targetMinutes(schedules, hamburg, '2026-12-25')).toBe(0);
    expect(targetMinutes(schedules, hamburg, '2026-12-24')).toBe(480);
    // 3 October 2026 is a Saturday: a person who is to work on Saturdays has it free.
    expect(
      isWorkingDay({ own: [{ validFrom: '2026-01-01', week: weekend }], company: [] }, hamburg, '2026-10-03'),
    ).toBe(false);
    expect(
      isWorkingDay({ own: [{ validFrom: '2026-01-01', week: weekend }], company: [] }, hamburg, '2026-10-10'),
    ).toBe(true);
  });
});
