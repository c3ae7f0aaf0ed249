import { expect, it } from '@jest/globals';
import type { Holiday } from '../working-time/holidays.js';
import type { Week } from '../working-time/schedule.js';
import { targetOn } from './calculated-days.js';

const employment = { employment_start: '2026-01-01', employment_end: null, tracking_start: '2026-01-01' };
const thursday = { date: '2026-11-26', weekday: 3, holiday: undefined };
const halfHoliday = { half: true } as unknown as Holiday;

it.each([
  ['half of an odd day is credited rounded up', 481, undefined, ['morning'], 481, 241],
  ['two halves credit the whole of an odd day', 481, undefined, ['morning', 'afternoon'], 481, 481],
  ['half a holiday is due rounded down', 481, halfHoliday, [], 240, 0],
  ['half a day on half a holiday credits all that is due', 481, halfHoliday, ['morning'], 240, 240],
  ['half of an even day is credited exactly', 480, undefined, ['afternoon'], 480, 240],
] as const)('%s', (_, minutes, holiday, halves, scheduledMinutes, creditedMinutes) => {
  const week: Week = [0, 0, 0, minutes, 0, 0, 0];
  const schedules = { personSchedules: [{ validFrom: '2026-01-01', week }], company: [] };
  const absences = halves.map((half_day) => ({
    type: 'vacation',
    label: { de: '', en: '' },
    credited: true,
    half_day,
  }));
  const { due } = targetOn(employment, schedules, { ...thursday, holiday }, absences);
  expect(due).toMatchObject({ scheduledMinutes, creditedMinutes });
});
