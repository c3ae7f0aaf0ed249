import { addDays } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf } from '../people/actor.js';
import { companyFor, personFor } from '../people/administered.js';
import { listScheduleRows, type ScheduleRow } from '../working-time/rows.js';
import type { Week } from '../working-time/schedule.js';
import {
  addScheduleOfCompany,
  addScheduleOfPerson,
  removeScheduleOfCompany,
  removeScheduleOfPerson,
} from './schedules.js';

export const listSchedules: AppHandler<'listSchedules'> = async ({ db, caller, path: { id } }) => {
  const person = await personFor(db, caller, id);
  return { status: 200, body: { data: presentSchedules(await listScheduleRows(db, person.company_id, person.id)) } };
};

export const addSchedule: AppHandler<'addSchedule'> = ({ db, caller, path: { id }, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const schedule = { validFrom: body.valid_from, week: weekOf(body.minutes) };
    const { person, added: addedRow } = await addScheduleOfPerson(write, caller, id, schedule);
    const rows = await listScheduleRows(write, person.company_id, person.id);
    return { status: 201, body: presentSchedule(rows, addedRow.id) };
  });

export const removeSchedule: AppHandler<'removeSchedule'> = async ({
  db,
  caller,
  path: { id, schedule_id: scheduleId },
  at,
}) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) =>
    removeScheduleOfPerson(write, caller, id, numberIn(scheduleId, 'sch')),
  );
  return { status: 204 };
};

export const listCompanySchedules: AppHandler<'listCompanySchedules'> = async ({ db, caller, path: { id } }) => {
  const company = await companyFor(db, caller, id);
  return { status: 200, body: { data: presentSchedules(await listScheduleRows(db, company.id, null)) } };
};

export const addCompanySchedule: AppHandler<'addCompanySchedule'> = ({ db, caller, path: { id }, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const schedule = { validFrom: body.valid_from, week: weekOf(body.minutes) };
    const addedRow = await addScheduleOfCompany(write, caller, id, schedule);
    const rows = await listScheduleRows(write, addedRow.company_id, null);
    return { status: 201, body: presentSchedule(rows, addedRow.id) };
  });

export const removeCompanySchedule: AppHandler<'removeCompanySchedule'> = async ({
  db,
  caller,
  path: { id, schedule_id: scheduleId },
  at,
}) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) =>
    removeScheduleOfCompany(write, caller, id, numberIn(scheduleId, 'sch')),
  );
  return { status: 204 };
};

type Schemas = components['schemas'];

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Schedules of one person or company by `valid_from`: each holds until the day before the next. */
function presentSchedules(rows: readonly ScheduleRow[]): Schemas['Schedule'][] {
  return rows.map((row, index) => {
    const week = JSON.parse(row.week) as Week;
    const next = rows[index + 1];
    return {
      id: `sch_${row.id}`,
      valid_from: row.valid_from,
      valid_to: next === undefined ? undefined : addDays(next.valid_from, -1),
      minutes: Object.fromEntries(weekdays.map((name, day) => [name, week[day]!])) as Schemas['WeekMinutes'],
      week_minutes: week.reduce((sum, minutes) => sum + minutes, 0),
    };
  });
}

/** One of these rows, as {@link presentSchedules} shows it. */
const presentSchedule = (rows: readonly ScheduleRow[], id: ScheduleRow['id']): Schemas['Schedule'] =>
  presentSchedules(rows).find((schedule) => schedule.id === `sch_${id}`)!;

function weekOf(minutes: Schemas['WeekMinutes']): Week {
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
