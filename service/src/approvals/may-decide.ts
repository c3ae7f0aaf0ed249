/** Who decides for whom: approvers of the person's department, company admins, super admins. Never for themselves. */
import type { Reader } from '@clockproof/platform/database/database';
import { type RoleGrant, rolesOf } from '../people/roles.js';
import type { PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';

/** Whether a person is in the approver scope of these roles. Ignores whether it is the approver's own request. */
export function isInApproverScope(
  grants: readonly RoleGrant[],
  person: Pick<PersonRow, 'company_id' | 'department_id'>,
): boolean {
  return grants.some((grant) => {
    if (grant.role === 'super_admin') return true;
    if (grant.companyId !== person.company_id) return false;
    return (
      grant.role === 'company_admin' ||
      grant.departmentIds === undefined ||
      (person.department_id !== null && grant.departmentIds.includes(person.department_id))
    );
  });
}

/**
 * @throws Refusal `own_request` it is the approver's own request, `not_found` the person is outside the approver's
 * scope
 */
export async function refuseToDecide(
  reader: Reader,
  decider: Pick<PersonRow, 'id' | 'active'>,
  person: PersonRow,
): Promise<void> {
  const grants = decider.active === 1 ? await rolesOf(reader, decider.id) : [];
  if (!isInApproverScope(grants, person)) throw new Refusal('not_found');
  if (decider.id === person.id) throw new Refusal('own_request');
}
