import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { reactivatePerson as reactivate } from '../../people/people.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { presentAdministered } from './present-person.js';

export function reactivatePerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['reactivatePerson'], PersonCaller> {
  return ({ caller, path: { id }, at }) =>
    db.write(async (tx) => {
      const { company_id: companyId } = await personFor(tx, caller, id);
      return {
        status: 200,
        body: await presentAdministered(tx, await reactivate(tx, id, companyId, actorOf(caller), at)),
      };
    });
}
