import { addDays } from '@clockproof/platform/time/local-date';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holidaysIn } from './holidays.js';
import { type Schedules, scheduledOn, standardWeek, type Week, weekdayOf, weekOn } from './schedule.js';

const hamburg = holidaysIn('DE', 'DE-HH');
const partTime: Week = [360, 360, 360, 0, 0, 0, 0];
const weekend: Week = [0, 0, 0, 0, 0, 300, 300];

describe('schedules', () => {
  it('schedules count weekdays from Monday', () => {
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

  it('the newest schedule of the person applies, else that of the company, else five days of eight hours', () => {
    const schedules = {
      personSchedules: [
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

  it('a schedule asks for nothing on public holidays and free weekdays', () => {
    const schedules = { personSchedules: [], company: [] };
    const minutesOn = (date: string, of: Schedules = schedules) => scheduledOn(of, hamburg.on(date), date).minutes;
    expect(minutesOn('2026-11-23')).toBe(480);
    expect(minutesOn('2026-11-28')).toBe(0);
    expect(minutesOn('2026-12-25')).toBe(0);
    expect(minutesOn('2026-12-24')).toBe(480);
    // 3 October 2026 is a Saturday: a person who is to work on Saturdays has it free.
    const onSaturdays: Schedules = { personSchedules: [{ validFrom: '2026-01-01', week: weekend }], company: [] };
    expect(minutesOn('2026-10-03', onSaturdays)).toBe(0);
    expect(minutesOn('2026-10-10', onSaturdays)).toBeGreaterThan(0);
  });

  it('a schedule asks for half of the minutes on half a holiday, rounded down', () => {
    const halfHoliday = {
      date: '2026-12-24',
      kind: 'half_day',
      yearly: 0,
      last_date: null,
      name_de: 'a',
      name_en: 'b',
    } as const;
    const holidays = holidaysIn('DE', 'DE-HH', null, [halfHoliday]);
    const of = (week: Week) =>
      scheduledOn(
        { personSchedules: [{ validFrom: '2026-01-01', week }], company: [] },
        holidays.on('2026-12-24'),
        '2026-12-24',
      );
    expect(of(standardWeek)).toEqual({ wholeMinutes: 480, minutes: 240, halves: 1 });
    expect(of([0, 0, 0, 481, 0, 0, 0])).toEqual({ wholeMinutes: 481, minutes: 240, halves: 1 });
    expect(of([480, 480, 480, 0, 480, 0, 0])).toEqual({ wholeMinutes: 0, minutes: 0, halves: 0 });
  });
});
