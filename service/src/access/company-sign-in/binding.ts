/** The binding of an account at the identity provider: to a person, and to the roles that its claim gives. */

import type { SignedIn } from '../../people/caller.js';
import { changeRoles, type RoleGrant, rolesOf } from '../../people/roles.js';
import { findCompany, findPerson, type PersonRow } from '../../people/rows.js';
import type { CompanyId } from '../../store/ids.js';
import { type DetailCode, Refusal } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import { takeWay } from '../ways-in.js';
import { findProvider, findSubject, hasSubject, insertSubject, type ProviderRow } from './rows.js';
import type { RoleValue } from './settings.js';

/** An account, as a session keeps it until the second factor is proved. */
export interface PendingBinding {
  /** The provider as the company had it set. A provider of many tenants names another issuer in each ID token. */
  readonly setting: { readonly issuer: string; readonly clientId: string };
  /** `iss` and `sub` of the ID token. */
  readonly issuer: string;
  readonly subject: string;
  /** Undefined: roles are set here only. */
  readonly roles?: readonly RoleValue['role'][] | undefined;
}

/** A company takes an account as long as the provider that vouched for it is switched on. @throws Refusal `company_sign_in_invalid` */
export async function currentProvider(
  write: Write,
  companyId: CompanyId,
  { issuer, clientId }: PendingBinding['setting'],
): Promise<ProviderRow> {
  // One after the other: of two first sign-ins, the second finds the binding of the first.
  await write.lock({ installation: true, company: companyId });
  const row = await findProvider(write, companyId);
  if (row === undefined || row.enabled === 0 || row.issuer !== issuer || row.client_id !== clientId)
    throw new Refusal('company_sign_in_invalid');
  const company = await findCompany(write, companyId);
  if (company === undefined || company.active === 0) throw signInRefusal('not_active', 'The company is not active.');
  return row;
}

export function usable(person: PersonRow | undefined): PersonRow {
  if (person === undefined) throw signInRefusal('other_company', 'This e-mail address belongs to another company.');
  // An admin of a company chooses its provider, which must not make them more than that.
  if (person.role === 'super_admin') throw signInRefusal('super_admin', 'Super admins sign in with a password.');
  if (person.active === 0 || person.company_active === 0) throw signInRefusal('not_active', 'The person has left.');
  return person;
}

/** @param isNewPerson the person was added for this account */
export async function bind(
  write: Write,
  { id: personId, company_id: companyId }: PersonRow,
  { issuer, subject }: PendingBinding,
  isNewPerson = false,
): Promise<void> {
  await refuseBound(write, personId);
  await insertSubject(write, { company_id: companyId, issuer, subject, person_id: personId, created_at: write.at });
  await takeWay(write, isNewPerson ? 'accountCreation' : 'accountLink', personId);
  await write.audit({
    companyId,
    action: 'sign_in.linked',
    subject: `person ${personId}`,
    details: { issuer, created: isNewPerson },
  });
}

export async function refuseBound(write: Write, personId: PersonRow['id']): Promise<void> {
  if (await hasSubject(write, personId))
    throw signInRefusal('other_account', 'Another account of the identity provider is bound to this person.');
}

/**
 * The second factor was proved in a session that began at the provider: now the account is the person's.
 * @throws Refusal `company_sign_in_invalid` the provider was changed meanwhile, `company_sign_in_refused`
 */
export async function bindPending(write: Write, { person: before, session }: SignedIn): Promise<void> {
  if (session.pending_binding === null) return;
  const binding = JSON.parse(session.pending_binding) as PendingBinding;
  await currentProvider(write, before.company_id, binding.setting);
  const person = usable(await findPerson(write, before.id, { company: before.company_id }));
  if ((await findSubject(write, person.company_id, binding)) !== undefined)
    throw signInRefusal('other_account', 'The account of the identity provider is bound to another person.');
  await bind(write, person, binding);
  await giveRoles(write, person, binding.roles);
}

/** The roles that the claim gives. Departments of an approver are set here and stay. */
export async function giveRoles(
  write: Write,
  person: PersonRow,
  roles: PendingBinding['roles'],
  isNewPerson = false,
): Promise<PersonRow> {
  if (roles === undefined) return person;
  const before = await rolesOf(write, person.id);
  const grants: RoleGrant[] = [];
  if (roles.includes('company_admin')) grants.push({ role: 'company_admin', companyId: person.company_id });
  if (roles.includes('approver'))
    grants.push(
      before.find((grant) => grant.role === 'approver') ?? { role: 'approver', companyId: person.company_id },
    );
  if (JSON.stringify(grants) === JSON.stringify(before)) return person;
  if (!isNewPerson) await takeWay(write, 'rolesByProvider', person.id);
  return changeRoles(write, person.id, person.company_id, grants);
}

export function signInRefusal(code: DetailCode, error: string): Refusal {
  return new Refusal('company_sign_in_refused', { details: [{ field: 'account', code, error }] });
}
