/** The people the caller decides about. Everyone else is `not_found`. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { administers } from '../../people/administered.js';
import type { PersonCaller } from '../../people/caller.js';
import { type RoleGrant, rolesOf } from '../../people/roles.js';
import { type CompanyRow, findCompany, findDepartment, findPersonAnywhere, type PersonRow } from '../../people/rows.js';
import { allCompanies } from '../../store/every-company.js';
import { Refusal } from '../../store/refusal.js';
import type { TenantScope } from '../../store/scope.js';
import { type Revealed, revealedTo } from '../../working-time/evaluations.js';
import type { Confidentiality } from '../../working-time/special-rules.js';
import { type Authority, authorityOf, grantsOf, isDecidable, readingAuthorityOf } from './authority.js';

/**
 * A person whom the caller may read about: their requests reach the caller, also as a substitute who has a role.
 * @throws Refusal `not_found` the person does not exist, or is outside the caller's companies and departments
 */
export async function personInApproverScope(
  reader: Reader,
  caller: PersonCaller,
  id: number,
  at: Instant,
): Promise<PersonRow> {
  return personUnder(reader, await readingAuthorityOf(reader, caller.person, at), id);
}

/**
 * A person whose requests the caller may decide, by a role or as a substitute.
 * @throws Refusal `not_found`
 */
export async function personOfRequest(
  reader: Reader,
  caller: PersonCaller,
  id: number,
  at: Instant,
): Promise<PersonRow> {
  return personUnder(reader, await authorityOf(reader, caller.person, at), id);
}

/** @throws Refusal `not_found` the person does not exist, or the authority does not reach them */
async function personUnder(reader: Reader, authority: Authority, id: number): Promise<PersonRow> {
  const person = await findPersonAnywhere(reader, id);
  if (person === undefined || !isDecidable(authority, person)) throw new Refusal('not_found');
  return person;
}

/** The caller's view of a person's confidential facts: the person themself and admins may know all. */
export function confidentialityFor(
  caller: PersonCaller,
  person: Pick<PersonRow, 'id' | 'company_id'>,
): Confidentiality {
  return caller.person.id === person.id || administers(caller, person.company_id) ? 'confidential' : 'general';
}

/** A reader's view of a person: confidential facts or not, and the evaluations that the company shows. */
export interface Viewer extends Revealed {
  readonly confidentiality: Confidentiality;
}

/** For people who read their own data, and for internal calculations. */
export const seesAll: Viewer = { confidentiality: 'confidential', presence: true, balances: true, findings: true };

export async function viewerOf(
  reader: Reader,
  caller: PersonCaller,
  person: Pick<PersonRow, 'id' | 'company_id'>,
): Promise<Viewer> {
  return {
    confidentiality: confidentialityFor(caller, person),
    ...(await revealedTo(reader, caller.person.id, person)),
  };
}

/**
 * The scope of the caller's roles, narrowed to the filter.
 * @param authority includes decisions of the caller as a substitute
 * @throws Refusal `not_found` the company or department is outside the scope
 */
export async function approverScope(
  reader: Reader,
  { person }: PersonCaller,
  filter: { readonly companyId?: number | undefined; readonly departmentId?: number | undefined },
  authority?: Authority,
): Promise<TenantScope> {
  const grants: readonly RoleGrant[] = authority === undefined ? await rolesOf(reader, person.id) : grantsOf(authority);
  const isSuperAdmin = grants.some((grant) => grant.role === 'super_admin');
  const companyId = isSuperAdmin ? filter.companyId : person.company_id;
  const companies = companyId === undefined ? allCompanies : { company: companyId };
  if (
    filter.companyId !== undefined &&
    (companyId !== filter.companyId || (await findCompany(reader, filter.companyId)) === undefined)
  )
    throw new Refusal('not_found');
  const wholeCompany =
    isSuperAdmin ||
    grants.some(
      (grant) => grant.role === 'company_admin' || (grant.role === 'approver' && grant.departmentIds === undefined),
    );
  const decidedDepartmentIds = wholeCompany
    ? undefined
    : grants.flatMap((grant) => (grant.role === 'approver' ? [...(grant.departmentIds ?? [])] : []));
  if (filter.departmentId === undefined)
    return decidedDepartmentIds === undefined ? companies : { ...companies, departments: decidedDepartmentIds };
  const exists =
    companyId === undefined || (await findDepartment(reader, filter.departmentId, companyId)) !== undefined;
  if (!exists || (decidedDepartmentIds !== undefined && !decidedDepartmentIds.includes(filter.departmentId)))
    throw new Refusal('not_found');
  return { ...companies, departments: [filter.departmentId] };
}

/** The company of a report. @throws Refusal `not_found` */
export async function reportedCompany(
  reader: Reader,
  caller: PersonCaller,
  companyId: number,
  departmentId: number | undefined,
): Promise<{
  readonly company: CompanyRow;
  readonly includes: (person: { readonly department_id: number | null }) => boolean;
}> {
  const { departments } = await approverScope(reader, caller, { companyId, departmentId });
  const includes = (person: { readonly department_id: number | null }) =>
    departments === undefined || (person.department_id !== null && departments.includes(person.department_id));
  return { company: (await findCompany(reader, companyId))!, includes };
}
