import type { Handler } from '@clockproof/platform/http/operation';
import { invalid } from '../../api/page.js';
import type { components, operations } from '../../generated/app-types.js';
import { changeRoles, type RoleGrant } from '../../people/roles.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { reachesFurther } from './invitePerson.js';
import { presentAdministered } from './present-person.js';

export function setRoles({ db }: Pick<AppNeeds, 'db'>): Handler<operations['setRoles'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    const grants = body.roles.map((role, index) => grantOf(role, `roles[${index}]`));
    // Nobody gives or takes what reaches further than their own role.
    const givesMore = caller.person.role !== 'super_admin' && grants.some((grant) => grant.role === 'super_admin');
    return db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      if (givesMore || reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      return {
        status: 200,
        body: await presentAdministered(tx, await changeRoles(tx, id, person.company_id, grants, actorOf(caller), at)),
      };
    });
  };
}

function grantOf(
  { role, company_id: companyId, department_ids: departmentIds }: components['schemas']['RoleGrant'],
  field: string,
): RoleGrant {
  if (role === 'super_admin') return { role };
  if (companyId === undefined) throw invalid(`${field}.company_id`, 'Say in which company the role holds.', 'missing');
  if (role === 'company_admin') return { role, companyId };
  if (departmentIds?.length === 0)
    throw invalid(`${field}.department_ids`, 'Name departments, or leave it out for all of them.', 'out_of_range');
  return { role, companyId, ...(departmentIds === undefined ? {} : { departmentIds }) };
}
