/** Roles: the rights to administer. Everyone is an employee; grants add to that and name their scope. */

import type { Reader } from '@clockproof/platform/database/database';
import type { CompanyId, DepartmentId, PersonId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { announcePerson } from './announce-person.js';
import {
  activeSuperAdmins,
  findPerson,
  type GrantRow,
  listDepartments,
  listGrantRows,
  type NewGrant,
  type PersonRow,
  replaceGrants,
  updatePerson,
} from './rows.js';

export type RoleGrant =
  | {
      readonly role: 'approver';
      readonly companyId: CompanyId /** Absent: every department. */;
      readonly departmentIds?: readonly DepartmentId[];
    }
  | { readonly role: 'company_admin'; readonly companyId: CompanyId }
  | { readonly role: 'super_admin' };

export async function rolesOf(reader: Reader, personId: PersonId): Promise<RoleGrant[]> {
  return grantsFromRows(await listGrantRows(reader, personId));
}

/**
 * Sets all roles of a person beyond employee. They apply in the person's own company; a super admin's apply everywhere.
 * @throws Refusal `not_found`, `last_admin`, `invalid_request` a company or department that is not the person's
 */
export async function changeRoles(
  write: Write,
  personId: PersonId,
  companyId: CompanyId,
  grants: readonly RoleGrant[],
): Promise<PersonRow> {
  const { at } = write;
  // If two admins remove each other's role, the second one sees the first one's change.
  await write.lock({ installation: true, company: companyId, people: [personId] });
  const person = await findPerson(write, personId, { company: companyId });
  if (person === undefined) throw new Refusal('not_found');
  const departments = (await listDepartments(write, { company: person.company_id })).map((department) => department.id);
  grants.forEach((grant, index) => {
    if (grant.role === 'super_admin') return;
    if (grant.companyId !== person.company_id) throw unknown(`roles[${index}].company_id`);
    if (grant.role === 'approver' && grant.departmentIds?.some((id) => !departments.includes(id)))
      throw unknown(`roles[${index}].department_ids`);
  });
  if (!grants.some((grant) => grant.role === 'super_admin')) await refuseLastSuperAdmin(write, person);
  const before = await rolesOf(write, person.id);
  await replaceGrants(write, person.id, rowsFromGrants(grants));
  await updatePerson(write, { ...person, role: strongestOf(grants), updated_at: at });
  await write.audit({
    companyId: person.company_id,
    action: 'person.roles_changed',
    subject: `person ${person.id}`,
    details: { before, after: grants },
  });
  return announcePerson(write, { id: personId, companyId });
}

/** @throws Refusal `last_admin` no one else could administer the installation */
export async function refuseLastSuperAdmin(reader: Reader, person: PersonRow): Promise<void> {
  if (person.role === 'super_admin' && !(await activeSuperAdmins(reader)).some((id) => id !== person.id))
    throw new Refusal('last_admin');
}

export function strongestOf(grants: readonly RoleGrant[]): PersonRow['role'] {
  return (
    (['super_admin', 'company_admin', 'approver'] as const).find((role) =>
      grants.some((grant) => grant.role === role),
    ) ?? 'employee'
  );
}

/**
 * The grants of a person added with a role: an approver decides for their own department or, without one, for the whole
 * company.
 */
export function grantsForNew(
  role: PersonRow['role'],
  companyId: CompanyId,
  departmentId: DepartmentId | undefined,
): RoleGrant[] {
  switch (role) {
    case 'employee':
      return [];
    case 'super_admin':
      return [{ role }];
    case 'company_admin':
      return [{ role, companyId }];
    case 'approver':
      return [{ role, companyId, ...(departmentId === undefined ? {} : { departmentIds: [departmentId] }) }];
  }
}

export function rowsFromGrants(grants: readonly RoleGrant[]): NewGrant[] {
  return grants.flatMap((grant): NewGrant[] => {
    if (grant.role === 'super_admin') return [{ role: grant.role, company_id: null, department_id: null }];
    if (grant.role === 'company_admin' || grant.departmentIds === undefined)
      return [{ role: grant.role, company_id: grant.companyId, department_id: null }];
    return [...new Set(grant.departmentIds)].map((id) => ({
      role: grant.role,
      company_id: grant.companyId,
      department_id: id,
    }));
  });
}

function grantsFromRows(rows: readonly GrantRow[]): RoleGrant[] {
  const grants: RoleGrant[] = [];
  if (rows.some((row) => row.role === 'super_admin')) grants.push({ role: 'super_admin' });
  for (const companyId of new Set(rows.flatMap((row) => (row.company_id === null ? [] : [row.company_id])))) {
    const companyRows = rows.filter((row) => row.company_id === companyId);
    if (companyRows.some((row) => row.role === 'company_admin')) grants.push({ role: 'company_admin', companyId });
    const approverRows = companyRows.filter((row) => row.role === 'approver');
    if (approverRows.length === 0) continue;
    const wholeCompany = approverRows.some((row) => row.department_id === null);
    grants.push({
      role: 'approver',
      companyId,
      ...(wholeCompany ? {} : { departmentIds: approverRows.map((row) => row.department_id!) }),
    });
  }
  return grants;
}

function unknown(field: string): Refusal {
  return invalidField(field, 'unknown', 'There is no such company or department for this person.');
}
