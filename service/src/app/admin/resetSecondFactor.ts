import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { removeSecondFactor } from '../../sign-in/second-factor.js';
import { actorOf, administeredCompany, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { reachesFurther } from './invitePerson.js';

export function resetSecondFactor({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['resetSecondFactor'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    requireFreshFactor(caller, at);
    await db.write(async (tx) => {
      const person = await findPerson(tx, id, administeredCompany(caller));
      if (person === undefined) throw new Refusal('not_found');
      if (reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      await removeSecondFactor(tx, { personId: person.id, companyId: person.company_id }, actorOf(caller), at);
    });
    return { status: 204 };
  };
}
