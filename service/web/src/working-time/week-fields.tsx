/** Target hours of a week, a field for each day: `8`, `7:30` or `7,5`. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { useWords } from '../words/words.js';

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Week = Readonly<Record<(typeof weekdays)[number], string>>;

export const standardWeek: Week = {
  monday: '8:00',
  tuesday: '8:00',
  wednesday: '8:00',
  thursday: '8:00',
  friday: '8:00',
  saturday: '0:00',
  sunday: '0:00',
};

export function weekOf(minutes: Schemas['WeekMinutes']): Week {
  return Object.fromEntries(
    weekdays.map((day) => [day, `${Math.floor(minutes[day] / 60)}:${String(minutes[day] % 60).padStart(2, '0')}`]),
  ) as unknown as Week;
}

/** @returns undefined if the text is no length of a day */
export function minutesOf(text: string): number | undefined {
  const clock = /^\s*(\d{1,2}):([0-5]\d)\s*$/.exec(text);
  const decimal = /^\s*(\d{1,2})([.,]\d{1,2})?\s*$/.exec(text);
  const minutes =
    clock !== null
      ? Number(clock[1]) * 60 + Number(clock[2])
      : decimal !== null
        ? Math.round(Number(text.replace(',', '.')) * 60)
        : undefined;
  return minutes === undefined || minutes > 1440 ? undefined : minutes;
}

/** @returns undefined while a day cannot be read */
export function weekMinutes(week: Week): Schemas['WeekMinutes'] | undefined {
  const days = weekdays.map((day) => [day, minutesOf(week[day])] as const);
  return days.some(([, minutes]) => minutes === undefined)
    ? undefined
    : (Object.fromEntries(days) as unknown as Schemas['WeekMinutes']);
}

export function WeekFields({
  week,
  onChange,
}: {
  readonly week: Week;
  readonly onChange: (week: Week) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const minutes = weekMinutes(week);
  return (
    <fieldset className="week">
      <legend className="hidden">{words.schedule_week}</legend>
      {weekdays.map((day) => (
        <TextInput
          key={day}
          label={words.weekdays[day]}
          inputMode="decimal"
          value={week[day]}
          error={minutesOf(week[day]) === undefined}
          onChange={(event) => onChange({ ...week, [day]: event.currentTarget.value })}
        />
      ))}
      <output className="week-sum">
        {minutes === undefined
          ? words.schedule_unreadable
          : words.schedule_sum(
              calendar.duration(Object.values(minutes).reduce((sum, dayMinutes) => sum + dayMinutes, 0)),
            )}
      </output>
    </fieldset>
  );
}
