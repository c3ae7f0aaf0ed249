/** A person from the first day to the last: added, changed, invited, deactivated, reactivated. */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { isTimeZone, type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { blockBadge } from '../badges/badges.js';
import { listActiveBadges } from '../badges/rows.js';
import { changePerson as applyChange } from '../months/change-person.js';
import { endLinks } from '../oauth/links.js';
import { lockPeopleAccess, voidConsents } from '../oauth/rows.js';
import { actorOf } from '../people/actor.js';
import {
  addPerson as add,
  deactivatePerson as deactivate,
  type NewPerson,
  type PersonChange,
  reactivatePerson as reactivate,
} from '../people/people.js';
import { changeRoles, type RoleGrant } from '../people/roles.js';
import type { PersonRow } from '../people/rows.js';
import { invalidField, Refusal } from '../refusal.js';
import { createInvitation } from '../sign-in/one-time-links.js';
import { markAllEnded } from '../sign-in/rows.js';
import { removeSecondFactor } from '../sign-in/second-factor.js';
import { type Admin, companyFor, personBelow, personFor } from './administered.js';

/** @throws Refusal `not_found`, `value_taken`, `invalid_request` */
export async function addPerson(
  tx: Transaction,
  admin: Admin,
  person: Omit<NewPerson, 'role'>,
  at: Instant,
): Promise<PersonRow> {
  await companyFor(tx, admin, person.companyId);
  refuseUnknownTimeZone(person.timeZone);
  return personFor(tx, admin, await add(tx, { ...person, role: 'employee' }, actorOf(admin.person), at));
}

/** @throws Refusal `not_found`, `forbidden`, `month_closed`, `value_taken`, `invalid_request` */
export async function changePerson(
  tx: Transaction,
  admin: Admin,
  id: number,
  change: PersonChange,
  at: Instant,
): Promise<PersonRow> {
  const person = await personBelow(tx, admin, id);
  refuseUnknownTimeZone(change.timeZone);
  return applyChange(tx, id, person.company_id, change, actorOf(admin.person), at);
}

/**
 * Ends an employment: sessions, personal links and badges end with it. If the process stops before the commit, the
 * person can work as before; after it, pages, apps and terminals refuse them.
 * @param lastDay last day of employment, today or earlier
 * @throws Refusal `not_found`, `forbidden`, `last_admin`, `invalid_request`
 */
export async function deactivatePerson(
  tx: Transaction,
  admin: Admin,
  id: number,
  lastDay: LocalDate,
  at: Instant,
): Promise<PersonRow> {
  const actor = actorOf(admin.person);
  // The same lock as for opening a link, so that no link is opened while all are ended.
  await lockPeopleAccess(tx);
  const { company_id: companyId } = await personBelow(tx, admin, id);
  await voidConsents(tx, { personId: id }, at);
  // Links first: ending a link locks its row before allocating a sequence number.
  await endLinks(tx, { personId: id }, 'person_left', actor, at);
  await markAllEnded(tx, id, '', at);
  const person = await deactivate(tx, id, companyId, lastDay, actor, at);
  for (const badge of await listActiveBadges(tx, id)) await blockBadge(tx, badge, companyId, actor, at);
  return person;
}

/** Reactivates a person, without a last day. Links and badges that ended stay ended. @throws Refusal `not_found` */
export async function reactivatePerson(tx: Transaction, admin: Admin, id: number, at: Instant): Promise<PersonRow> {
  const { company_id: companyId } = await personFor(tx, admin, id);
  return reactivate(tx, id, companyId, actorOf(admin.person), at);
}

/**
 * Sets all roles beyond employee. Only a super admin grants or removes the role of a super admin.
 * @throws Refusal `not_found`, `forbidden`, `last_admin`, `invalid_request`
 */
export async function setRoles(
  tx: Transaction,
  admin: Admin,
  id: number,
  grants: readonly RoleGrant[],
  at: Instant,
): Promise<PersonRow> {
  const person = await personBelow(tx, admin, id);
  if (admin.person.role !== 'super_admin' && grants.some((grant) => grant.role === 'super_admin'))
    throw new Refusal('forbidden');
  return changeRoles(tx, id, person.company_id, grants, actorOf(admin.person), at);
}

/**
 * A link for choosing a password; an earlier one stops working.
 * @returns its token, available only here
 * @throws Refusal `not_found`, `forbidden`, `employment_ended`
 */
export async function invitePerson(
  tx: Transaction,
  admin: Admin,
  id: number,
  randomBytes: RandomBytes,
  at: Instant,
): Promise<{ readonly token: string; readonly expiresAt: Instant }> {
  const person = await personBelow(tx, admin, id);
  const { active, employment_end: lastDay, company_id: companyId } = person;
  if (active === 0 || (lastDay !== null && lastDay < localDateAt(at, person.time_zone)))
    throw new Refusal('employment_ended');
  return createInvitation(tx, { personId: id, companyId }, actorOf(admin.person), randomBytes, at);
}

/** Removes every second factor of a person and ends their sessions. @throws Refusal `not_found`, `forbidden` */
export async function resetSecondFactor(tx: Transaction, admin: Admin, id: number, at: Instant): Promise<void> {
  const { company_id: companyId } = await personBelow(tx, admin, id);
  await removeSecondFactor(tx, { personId: id, companyId }, actorOf(admin.person), at);
}

function refuseUnknownTimeZone(timeZone: string | null | undefined): void {
  if (timeZone !== undefined && timeZone !== null && !isTimeZone(timeZone))
    throw invalidField('time_zone', 'unknown', 'There is no such time zone.');
}
