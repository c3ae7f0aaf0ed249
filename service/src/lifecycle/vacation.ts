/** What a company gives as vacation, how its absences are approved, and what is carried over at the turn of the year. */

import { localDateAt } from '@clockproof/platform/time/local-date';
import {
  type ApprovalRule,
  lockAbsences,
  saveApprovalRule,
  saveVacationPolicyRow,
  type VacationPolicyRow,
} from '../absences/rows.js';
import { carryOver, entitlementOf } from '../absences/vacation-account.js';
import type { CompanyId, PersonId } from '../ids.js';
import { isEmployed } from '../people/employment.js';
import { listPeople, type PersonRow } from '../people/rows.js';
import { invalidField } from '../refusal.js';
import type { Write } from '../write/write.js';
import { type Admin, companyFor, personFor } from './administered.js';

const everybody = 1_000_000;

/**
 * @param days of a year, in steps of .5, for everyone without an entitlement of their own
 * @param carryUntil month and day of the next year until which carried-over days can be taken; null: they do not expire
 * @throws Refusal `not_found`
 */
export async function setVacationPolicy(
  write: Write,
  admin: Admin,
  companyId: CompanyId,
  { days, carryUntil }: { readonly days: number; readonly carryUntil: string | null },
): Promise<VacationPolicyRow> {
  const { id } = await companyFor(write, admin, companyId);
  const row = { company_id: id, half_days: days * 2, carry_until: carryUntil };
  await saveVacationPolicyRow(write, row);
  await write.audit({
    companyId: id,
    action: 'vacation_policy.set',
    subject: `company ${id}`,
    details: { days, carry_over_until: carryUntil },
  });
  return row;
}

/**
 * Carries over what is left of a year, for everyone who is employed on both sides of its end and has an entitlement.
 * Doing it again after a late change sets the carried-over days again. One transaction: everyone's days or no one's.
 * @returns whose days, by last name
 * @throws Refusal `not_found`, `invalid_request` the year has not begun
 */
export async function carryOverVacation(
  write: Write,
  admin: Admin,
  companyId: CompanyId,
  fromYear: number,
): Promise<readonly { readonly person: PersonRow; readonly days: number }[]> {
  const { at } = write;
  const { id, time_zone: timeZone } = await companyFor(write, admin, companyId);
  if (fromYear > Number(localDateAt(at, timeZone).slice(0, 4)))
    throw invalidField('from_year', 'out_of_range', 'The year has not begun.');
  const people = (await listPeople(write, { company: id }, { active: true, afterId: 0, limit: everybody })).filter(
    (person) => isEmployed(person, `${fromYear}-12-31`) && isEmployed(person, `${fromYear + 1}-01-01`),
  );
  // In the order of ids, as everyone who locks several: no request changes an account while it is counted.
  for (const person of people) await lockAbsences(write, person.id);
  const carried: { person: PersonRow; days: number }[] = [];
  for (const person of people) {
    if ((await entitlementOf(write, person, fromYear)) === undefined) continue;
    carried.push({ person, days: await carryOver(write, person, fromYear) });
  }
  if (carried.length === 0) write.unaudited('locks');
  return carried.sort(
    ({ person: a }, { person: b }) =>
      a.last_name.localeCompare(b.last_name) || a.first_name.localeCompare(b.first_name) || a.id - b.id,
  );
}

/** Absences that exist keep what was decided about them. @throws Refusal `not_found` */
export async function setApprovalRule(
  write: Write,
  admin: Admin,
  personId: PersonId,
  approval: ApprovalRule,
): Promise<void> {
  const { id, company_id: companyId } = await personFor(write, admin, personId);
  await lockAbsences(write, id);
  await saveApprovalRule(write, id, approval);
  await write.audit({
    companyId,
    action: 'approval_rule.set',
    subject: `person ${id}`,
    details: { approval },
  });
}
