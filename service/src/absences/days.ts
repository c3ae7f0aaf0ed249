/** How many working days an absence takes. */
import type { Reader } from '@clockproof/platform/database/database';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../people/rows.js';
import { holidaysIn } from '../working-time/holidays.js';
import { readSchedules } from '../working-time/rows.js';
import { isWorkingDay } from '../working-time/schedule.js';
import { daysBetween } from './calendar.js';
import type { AbsenceDraft } from './rules.js';

/** Whether a person has work on a date. */
export type Workdays = (date: LocalDate) => boolean;

/** The person's workdays: by their schedule, or the company's, without the public holidays of the company's region. */
export async function loadWorkdays(reader: Reader, person: PersonRow): Promise<Workdays> {
  const schedules = await readSchedules(reader, person);
  const holidays = holidaysIn(person.country, person.region);
  return (date) => isWorkingDay(schedules, holidays, date);
}

/** Working days in halves: a whole day is 2, a half one 1, a day that is free anyway 0. */
export function countHalfDays(
  { startDate, endDate, halfDay }: Pick<AbsenceDraft, 'startDate' | 'endDate' | 'halfDay'>,
  workdays: Workdays,
): number {
  return daysBetween(startDate, endDate).filter(workdays).length * (halfDay === null ? 2 : 1);
}
