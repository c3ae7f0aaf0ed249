/**
 * Who decides about whom: approvers of the person's department, admins of the company, super admins. Nobody about
 * themselves.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { type RoleGrant, rolesOf } from '../people/roles.js';
import type { PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';

/** Whether these roles reach a person, apart from the question who it is. */
export function reaches(
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
 * @throws Refusal `own_request` it is about the decider, `not_found` the decider's roles do not reach the person: who
 * is outside is not there
 */
export async function refuseToDecide(
  reader: Reader,
  decider: Pick<PersonRow, 'id' | 'active'>,
  person: PersonRow,
): Promise<void> {
  const grants = decider.active === 1 ? await rolesOf(reader, decider.id) : [];
  if (!reaches(grants, person)) throw new Refusal('not_found');
  if (decider.id === person.id) throw new Refusal('own_request');
}
