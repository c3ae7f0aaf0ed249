import { addDays } from '@clockproof/platform/time/local-date';
import type { components } from '../../generated/app-types.js';
import type { ScheduleRow } from '../../working-time/rows.js';
import type { Week } from '../../working-time/schedule.js';

type Schemas = components['schemas'];

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Schedules of one person by `valid_from`: each holds until the day before the next. */
export function presentSchedules(rows: readonly ScheduleRow[]): Schemas['Schedule'][] {
  return rows.map((row, index) => {
    const week = JSON.parse(row.week) as Week;
    const next = rows[index + 1];
    return {
      id: `sch_${row.id}`,
      valid_from: row.valid_from,
      ...(next === undefined ? {} : { valid_to: addDays(next.valid_from, -1) }),
      minutes: Object.fromEntries(weekdays.map((name, day) => [name, week[day]!])) as Schemas['WeekMinutes'],
      week_minutes: week.reduce((sum, minutes) => sum + minutes, 0),
    };
  });
}

export function weekOf(minutes: Schemas['WeekMinutes']): Week {
  return [
    minutes.monday,
    minutes.tuesday,
    minutes.wednesday,
    minutes.thursday,
    minutes.friday,
    minutes.saturday,
    minutes.sunday,
  ];
}
