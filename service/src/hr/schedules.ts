/** Schedules of people and of companies: each change counts the days of the absences it concerns again. */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { recountDays, recountEveryonesDays } from '../absences/recount-days.js';
import { type Admin, companyFor, personFor } from '../people/administered.js';
import type { PersonRow } from '../people/rows.js';
import type { ScheduleId } from '../store/ids.js';
import type { Write } from '../store/write.js';
import { addSchedule, removeSchedule } from '../working-time/change-schedule.js';
import type { ScheduleRow } from '../working-time/rows.js';
import type { Week } from '../working-time/schedule.js';

interface NewWeek {
  readonly validFrom: LocalDate;
  readonly week: Week;
}

/**
 * @param validFrom first day of the schedule; it applies until the day before the next one
 * @throws Refusal `not_found`, `month_closed`; otherwise as `addSchedule` of working-time
 */
export async function addScheduleOfPerson(
  write: Write,
  admin: Admin,
  id: number,
  { validFrom, week }: NewWeek,
): Promise<{ readonly person: PersonRow; readonly added: ScheduleRow }> {
  const person = await personFor(write, admin, id);
  const addedRow = await addSchedule(write, { companyId: person.company_id, personId: id, validFrom, week });
  await recountDays(write, person, validFrom);
  return { person, added: addedRow };
}

/** @throws Refusal `not_found`, `month_closed` */
export async function removeScheduleOfPerson(
  write: Write,
  admin: Admin,
  id: number,
  scheduleId: ScheduleId,
): Promise<void> {
  const person = await personFor(write, admin, id);
  const from = await removeSchedule(write, { companyId: person.company_id, personId: id, id: scheduleId });
  await recountDays(write, person, from);
}

/**
 * For days on which a person has no schedule of their own.
 * @param id the company
 * @throws as {@link addSchedule}
 */
export async function addScheduleOfCompany(
  write: Write,
  admin: Admin,
  id: number,
  { validFrom, week }: NewWeek,
): Promise<ScheduleRow> {
  const { id: companyId } = await companyFor(write, admin, id);
  const addedRow = await addSchedule(write, { companyId, personId: null, validFrom, week });
  await recountEveryonesDays(write, companyId, validFrom);
  return addedRow;
}

/** @throws Refusal `not_found`, `month_closed` */
export async function removeScheduleOfCompany(
  write: Write,
  admin: Admin,
  id: number,
  scheduleId: ScheduleId,
): Promise<void> {
  const { id: companyId } = await companyFor(write, admin, id);
  const from = await removeSchedule(write, { companyId, personId: null, id: scheduleId });
  await recountEveryonesDays(write, companyId, from);
}
