import type { Handler } from '@clockproof/platform/http/operation';
import { setEntitlement as saveEntitlement } from '../../absences/vacation-account.js';
import type { operations } from '../../generated/app-types.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { presentEntitlement } from './present-entitlement.js';

export function setEntitlement({ db }: Pick<AppNeeds, 'db'>): Handler<operations['setEntitlement'], PersonCaller> {
  return async ({ caller, path: { id, year }, body, at }) =>
    db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      await saveEntitlement(
        tx,
        person,
        year,
        { days: body.days, carriedDays: body.carried_over_days, carriedUntil: body.carry_over_until ?? null },
        actorOf(caller),
        at,
      );
      return { status: 200, body: await presentEntitlement(tx, person, year, at) };
    });
}
