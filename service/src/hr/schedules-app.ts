import type { Handler } from '@clockproof/platform/http/operation';
import { addDays } from '@clockproof/platform/time/local-date';
import type { components, operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf } from '../people/actor.js';
import { companyFor, personFor } from '../people/administered.js';
import type { PersonCaller } from '../people/caller.js';
import { listSchedules as listRows, type ScheduleRow } from '../working-time/rows.js';
import type { Week } from '../working-time/schedule.js';
import {
  addSchedule as add,
  addCompanySchedule as addToCompany,
  removeSchedule as remove,
  removeCompanySchedule as removeFromCompany,
} from './schedules.js';

export function listSchedules({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listSchedules'], PersonCaller> {
  return async ({ caller, path: { id } }) => {
    const person = await personFor(db, caller, id);
    return { status: 200, body: { data: presentSchedules(await listRows(db, person.company_id, person.id)) } };
  };
}

export function addSchedule({ db }: Pick<AppNeeds, 'db'>): Handler<operations['addSchedule'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const schedule = { validFrom: body.valid_from, week: weekOf(body.minutes) };
      const { person, added } = await add(write, caller, id, schedule);
      const shown = presentSchedules(await listRows(write, person.company_id, person.id));
      return { status: 201, body: shown.find((schedule) => schedule.id === `sch_${added.id}`)! };
    });
}

export function removeSchedule({ db }: Pick<AppNeeds, 'db'>): Handler<operations['removeSchedule'], PersonCaller> {
  return async ({ caller, path: { id, schedule_id: scheduleId }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) =>
      remove(write, caller, id, numberIn(scheduleId, 'sch')),
    );
    return { status: 204 };
  };
}

export function listCompanySchedules({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['listCompanySchedules'], PersonCaller> {
  return async ({ caller, path: { id } }) => {
    const company = await companyFor(db, caller, id);
    return { status: 200, body: { data: presentSchedules(await listRows(db, company.id, null)) } };
  };
}

export function addCompanySchedule({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['addCompanySchedule'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const schedule = { validFrom: body.valid_from, week: weekOf(body.minutes) };
      const added = await addToCompany(write, caller, id, schedule);
      const shown = presentSchedules(await listRows(write, added.company_id, null));
      return { status: 201, body: shown.find((schedule) => schedule.id === `sch_${added.id}`)! };
    });
}

export function removeCompanySchedule({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['removeCompanySchedule'], PersonCaller> {
  return async ({ caller, path: { id, schedule_id: scheduleId }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) =>
      removeFromCompany(write, caller, id, numberIn(scheduleId, 'sch')),
    );
    return { status: 204 };
  };
}

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
      ...(next === undefined ? {} : { valid_to: addDays(next.valid_from, -1) }),
      minutes: Object.fromEntries(weekdays.map((name, day) => [name, week[day]!])) as Schemas['WeekMinutes'],
      week_minutes: week.reduce((sum, minutes) => sum + minutes, 0),
    };
  });
}

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
