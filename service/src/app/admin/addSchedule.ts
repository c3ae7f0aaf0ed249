import type { Handler } from '@clockproof/platform/http/operation';
import { recountDays } from '../../absences/recount-days.js';
import { lockAbsences } from '../../absences/rows.js';
import type { operations } from '../../generated/app-types.js';
import { addSchedule as add } from '../../working-time/change-schedule.js';
import { listSchedules } from '../../working-time/rows.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { presentSchedules, weekOf } from './present-schedule.js';

export function addSchedule({ db }: Pick<AppNeeds, 'db'>): Handler<operations['addSchedule'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      await lockAbsences(tx, person.id);
      const row = await add(tx, {
        companyId: person.company_id,
        personId: person.id,
        validFrom: body.valid_from,
        week: weekOf(body.minutes),
        actor: actorOf(caller),
        at,
      });
      await recountDays(tx, person, body.valid_from, actorOf(caller), at);
      return {
        status: 201,
        body: presentSchedules(await listSchedules(tx, person.company_id, person.id)).find(
          (one) => one.id === `sch_${row.id}`,
        )!,
      };
    });
}
