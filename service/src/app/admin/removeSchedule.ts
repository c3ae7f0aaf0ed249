import type { Handler } from '@clockproof/platform/http/operation';
import { recountDays } from '../../absences/recount-days.js';
import { lockAbsences } from '../../absences/rows.js';
import type { operations } from '../../generated/app-types.js';
import { removeSchedule as remove } from '../../working-time/change-schedule.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { numberIn } from '../prefixed-id.js';
import { personFor } from './administered.js';

export function removeSchedule({ db }: Pick<AppNeeds, 'db'>): Handler<operations['removeSchedule'], PersonCaller> {
  return async ({ caller, path: { id, schedule_id: scheduleId }, at }) => {
    await db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      await lockAbsences(tx, person.id);
      const from = await remove(tx, {
        companyId: person.company_id,
        personId: person.id,
        id: numberIn(scheduleId, 'sch'),
        actor: actorOf(caller),
        at,
      });
      await recountDays(tx, person, from, actorOf(caller), at);
    });
    return { status: 204 };
  };
}
