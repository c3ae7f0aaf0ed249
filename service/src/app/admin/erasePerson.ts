import type { Handler } from '@clockproof/platform/http/operation';
import { invalid } from '../../api/page.js';
import { erasePerson as eraseData } from '../../erasure/erase-person.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { actorOf, nameOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { reachesFurther } from './invitePerson.js';

export function erasePerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['erasePerson'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    // If the process stops before the commit everything of the person is there, after it nothing.
    await db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      if (reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      if (body.confirm_name !== nameOf(person))
        throw invalid('confirm_name', 'Type the name of the person as it is shown.', 'mismatch');
      await eraseData(tx, { personId: id, companyId: person.company_id, actor: actorOf(caller), at });
    });
    return { status: 204 };
  };
}
