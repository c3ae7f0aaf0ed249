/** A person from the first day to the last: added, changed, invited, deactivated, taken back. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { calendar } from '@clockproof/platform/time/calendar';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { recountDays } from '../absences/recount-days.js';
import { deleteSubject } from '../access/company-sign-in/rows.js';
import { endLinks } from '../access/oauth/links.js';
import { voidConsents } from '../access/oauth/rows.js';
import { createInvitation, type Invitation } from '../access/one-time-links.js';
import { canSignIn, markAllEnded } from '../access/rows.js';
import { resetAccess } from '../access/second-factor/second-factor.js';
import { takeWay } from '../access/ways-in.js';
import { nameOf } from '../people/actor.js';
import { type Admin, administeredScope, companyFor, personBelow, personFor } from '../people/administered.js';
import { type PersonCaller, requireFreshFactor } from '../people/caller.js';
import type { NewPerson, PersonChange } from '../people/people.js';
import { changeRoles, type RoleGrant, rolesOf } from '../people/roles.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { invalidField, Refusal, type RefusalDetail } from '../store/refusal.js';
import type { SealingKeys } from '../store/sealing/sealing-keys.js';
import type { Write } from '../store/write.js';
import { markBadgeBlocked } from '../terminals/badges/badges.js';
import { listActiveBadges } from '../terminals/badges/rows.js';
import { addTrackedPerson, changePersonRecord } from '../working-time/change-person.js';
import { type EmploymentEnd, resolveAfterEmployment } from './employment-end.js';

/** @throws Refusal `not_found`, `value_taken`, `invalid_request` */
export async function addPerson(
  write: Write,
  admin: Admin,
  person: Omit<NewPerson, 'role' | 'openFrom'>,
): Promise<PersonRow> {
  await companyFor(write, admin, person.companyId);
  return personFor(write, admin, await addTrackedPerson(write, { ...person, role: 'employee' }));
}

export interface InvitationNeeds {
  readonly randomBytes: RandomBytes;
  readonly keys: SealingKeys;
}

export interface ChangedPerson {
  readonly person: PersonRow;
  /** Records that a new last day resolved. */
  readonly ended: EmploymentEnd | undefined;
}

/**
 * A new last day resolves records after it; see {@link resolveAfterEmployment}.
 * @throws Refusal `not_found`, `forbidden`, `month_closed`, `value_taken`, `invalid_request`
 */
export async function changePerson(
  write: Write,
  admin: Admin,
  id: number,
  change: PersonChange,
): Promise<ChangedPerson> {
  const before = await personBelow(write, admin, id);
  const changesEmail = change.email !== undefined && (change.email?.toLowerCase() ?? null) !== before.email;
  const person = await changePersonRecord(write, id, before.company_id, change);
  // There is no work before the first day: absences that reach before it take other days than they did.
  if (person.employment_start !== before.employment_start)
    await recountDays(write, person, earlierDate(person.employment_start, before.employment_start));
  if (changesEmail) await takeWay(write, 'emailChange', id, before.email === null ? {} : { email: before.email });
  return {
    person,
    ended:
      typeof change.employment_end === 'string' ? await resolveAfterEmployment(write, person, admin.person) : undefined,
  };
}

/** @param a null: ever since */
function earlierDate(a: LocalDate | null, b: LocalDate | null): LocalDate {
  return a === null || b === null ? calendar.trackedFrom : a < b ? a : b;
}

/**
 * Ends an employment: sessions, personal links and badges end with it, and records after the last day are resolved. If
 * the process stops before the commit, the person can work as before; after it, pages, apps and terminals refuse them.
 * @param lastDay last day of employment, today or earlier
 * @throws Refusal `not_found`, `forbidden`, `month_closed`, `last_admin`, `invalid_request`
 */
export async function deactivateAccount(
  write: Write,
  admin: Admin,
  id: number,
  lastDay: LocalDate,
): Promise<ChangedPerson> {
  const { at } = write;
  // Opening a link locks the installation.
  await write.lock({ installation: true, people: [id] });
  const before = await personBelow(write, admin, id);
  if (lastDay > localDateAt(at, before.time_zone))
    throw invalidField('employment_end', 'in_future', 'The last day is today or earlier.');
  await voidConsents(write, { personId: id }, at);
  await endLinks(write, { personId: id }, 'person_left');
  await takeWay(write, 'deactivation', id);
  const change = { active: 0, employment_end: lastDay } as const;
  const person = await changePersonRecord(write, id, before.company_id, change, 'person.deactivated');
  for (const badge of await listActiveBadges(write, id)) await markBadgeBlocked(write, badge, before.company_id);
  return { person, ended: await resolveAfterEmployment(write, person, admin.person) };
}

/**
 * Takes a person back, without a last day: the employment goes on as if it had not ended, so no month after the last
 * day may be closed. Sessions, links and badges that ended with it stay ended.
 * @throws Refusal `not_found`, `forbidden`, `month_closed`
 */
export async function reactivateAccount(write: Write, admin: Admin, id: number): Promise<PersonRow> {
  const { company_id: companyId } = await personBelow(write, admin, id);
  return changePersonRecord(write, id, companyId, { active: 1, employment_end: null }, 'person.reactivated');
}

/**
 * Sets all roles beyond employee. Only a super admin grants or removes the role of a super admin.
 * @throws Refusal `not_found`, `forbidden`, `last_admin`, `invalid_request`
 */
export async function replaceRoles(
  write: Write,
  admin: Admin,
  id: number,
  grants: readonly RoleGrant[],
): Promise<PersonRow> {
  const person = await personBelow(write, admin, id);
  if (admin.person.role !== 'super_admin' && grants.some((grant) => grant.role === 'super_admin'))
    throw new Refusal('forbidden');
  const before = JSON.stringify(await rolesOf(write, id));
  const changedPerson = await changeRoles(write, id, person.company_id, grants);
  if (JSON.stringify(await rolesOf(write, id)) !== before) await takeWay(write, 'roles', id);
  return changedPerson;
}

/**
 * A link for choosing a password; an earlier one stops working.
 * @returns its token, available only here
 * @throws Refusal `not_found`, `forbidden`, `employment_ended`
 */
export async function issueInvitation(
  write: Write,
  admin: Admin,
  id: number,
  needs: InvitationNeeds,
): Promise<Invitation> {
  const { at } = write;
  const person = await personBelow(write, admin, id);
  if (hasLeft(person, at)) throw new Refusal('employment_ended');
  return createInvitation(write, { personId: id, companyId: person.company_id, email: person.email }, needs);
}

/**
 * A link for each of several people of a company, as {@link issueInvitation} makes it; or none.
 * @throws Refusal `not_found`, `forbidden`, `invalid_request` `details` names who cannot be invited
 */
export async function issueInvitations(
  write: Write,
  admin: Admin,
  { companyId, ids }: { readonly companyId: CompanyId; readonly ids: readonly PersonId[] },
  needs: InvitationNeeds,
): Promise<({ readonly person: PersonRow } & Invitation)[]> {
  await companyFor(write, admin, companyId);
  const people: PersonRow[] = [];
  const details: RefusalDetail[] = [];
  for (const [index, id] of ids.entries()) {
    const person = await personBelow(write, admin, id);
    if (person.company_id !== companyId) throw new Refusal('not_found');
    people.push(person);
    const field = `user_ids[${index}]`;
    if (person.email === null)
      details.push({ field, code: 'missing', error: `${nameOf(person)} has no e-mail address.` });
    else if (hasLeft(person, write.at))
      details.push({ field, code: 'ended', error: `The employment of ${nameOf(person)} has ended.` });
  }
  if (details.length > 0) throw new Refusal('invalid_request', { details: details.slice(0, 100) });
  const invitations = [];
  for (const person of people)
    invitations.push({
      person,
      ...(await createInvitation(write, { personId: person.id, companyId, email: person.email }, needs)),
    });
  return invitations;
}

/** A link to replace a password needs a fresh proof. @throws Refusal `second_factor_required` */
export async function refuseInviting(
  reader: Reader,
  caller: PersonCaller,
  ids: readonly PersonId[],
  at: Instant,
): Promise<void> {
  for (const id of ids) {
    const person = await findPerson(reader, id, administeredScope(caller));
    if (person !== undefined && (await canSignIn(reader, id))) requireFreshFactor(caller, at);
  }
}

function hasLeft({ active, employment_end: lastDay, time_zone: timeZone }: PersonRow, at: Instant): boolean {
  return active === 0 || (lastDay !== null && lastDay < localDateAt(at, timeZone));
}

/**
 * Ends everything a person signs in with; only the link leads back in.
 * @returns its token, available only here
 * @throws Refusal `not_found`, `forbidden`
 */
export async function clearSecondFactor(
  write: Write,
  admin: Admin,
  id: number,
  needs: InvitationNeeds,
): Promise<Invitation> {
  const { company_id: companyId, email } = await personBelow(write, admin, id);
  await resetAccess(write, 'resetByAdmin', { personId: id, companyId });
  return createInvitation(write, { personId: id, companyId, email }, needs);
}

/**
 * Unbinds a person from their account at the identity provider and ends their sessions: the next sign-in with their
 * e-mail address binds them again.
 * @throws Refusal `not_found`, also if no account is bound; `forbidden`
 */
export async function removeCompanyAccount(write: Write, admin: Admin, id: number): Promise<void> {
  const { id: personId, company_id: companyId } = await personBelow(write, admin, id);
  if (!(await deleteSubject(write, personId))) throw new Refusal('not_found');
  await markAllEnded(write, personId, '', write.at);
  await write.audit({ companyId, action: 'sign_in.unlinked', subject: `person ${personId}` });
}
