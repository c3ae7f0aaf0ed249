import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { changePerson } from '../../months/change-person.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';

export function setOpeningBalance({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['setOpeningBalance'], PersonCaller> {
  return ({ caller, path: { id }, body: { date, balance_minutes: minutes }, at }) =>
    db.write(async (tx) => {
      const { company_id: companyId } = await personFor(tx, caller, id);
      const person = await changePerson(
        tx,
        id,
        companyId,
        { keptFrom: date, openingMinutes: minutes },
        actorOf(caller),
        at,
      );
      return { status: 200, body: { date: person.kept_from, balance_minutes: person.opening_minutes } };
    });
}
