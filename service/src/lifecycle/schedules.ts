/** A person's working week: every change recalculates their absences. */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { recountDays } from '../absences/recount-days.js';
import { lockAbsences } from '../absences/rows.js';
import type { ScheduleId } from '../ids.js';
import { actorOf } from '../people/actor.js';
import type { PersonRow } from '../people/rows.js';
import { addSchedule as add, removeSchedule as remove } from '../working-time/change-schedule.js';
import type { ScheduleRow } from '../working-time/rows.js';
import type { Week } from '../working-time/schedule.js';
import { type Admin, personFor } from './administered.js';

/**
 * @param validFrom first day of the schedule; it applies until the day before the next one
 * @throws Refusal `not_found`, `month_closed`, and what `addSchedule` of working-time refuses
 */
export async function addSchedule(
  tx: Transaction,
  admin: Admin,
  id: number,
  { validFrom, week }: { readonly validFrom: LocalDate; readonly week: Week },
  at: Instant,
): Promise<{ readonly person: PersonRow; readonly added: ScheduleRow }> {
  const actor = actorOf(admin.person);
  const person = await personFor(tx, admin, id);
  await lockAbsences(tx, id);
  const added = await add(tx, { companyId: person.company_id, personId: id, validFrom, week, actor, at });
  await recountDays(tx, person, validFrom, actor, at);
  return { person, added };
}

/** @throws Refusal `not_found`, `month_closed` */
export async function removeSchedule(
  tx: Transaction,
  admin: Admin,
  id: number,
  scheduleId: ScheduleId,
  at: Instant,
): Promise<void> {
  const actor = actorOf(admin.person);
  const person = await personFor(tx, admin, id);
  await lockAbsences(tx, id);
  const from = await remove(tx, { companyId: person.company_id, personId: id, id: scheduleId, actor, at });
  await recountDays(tx, person, from, actor, at);
}
