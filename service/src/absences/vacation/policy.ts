/** A company's vacation days, the approval of its absences, and the carry-over at the turn of the year. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { type Admin, companyFor, personFor } from '../../people/administered.js';
import { isEmployed } from '../../people/employment.js';
import { keepValues } from '../../people/personal-values.js';
import { listPeople, type PersonRow } from '../../people/rows.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { invalidField } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import { type ApprovalRule, saveApprovalRule, saveVacationPolicyRow, type VacationPolicyRow } from '../rows.js';
import { type CarryOverPlan, entitlementOf, planCarryOver, saveEntitlement } from './vacation-account.js';

const maxPeople = 1_000_000;

/**
 * @param days of a year, in steps of .5, for everyone without an entitlement of their own
 * @param proRata reduction of the days for people who join or leave in the year
 * @param carryUntil month and day of the next year until which carried-over days can be taken; null: they do not expire
 * @throws Refusal `not_found`
 */
export async function saveVacationPolicy(
  write: Write,
  admin: Admin,
  companyId: CompanyId,
  {
    days,
    carryUntil,
    proRata,
  }: { readonly days: number; readonly carryUntil: string | null; readonly proRata: VacationPolicyRow['pro_rata'] },
): Promise<VacationPolicyRow> {
  const { id } = await companyFor(write, admin, companyId);
  await write.lock({ company: id });
  const row = { company_id: id, half_days: days * 2, carry_until: carryUntil, pro_rata: proRata };
  await saveVacationPolicyRow(write, row);
  await write.audit({
    companyId: id,
    action: 'vacation_policy.set',
    subject: `company ${id}`,
    details: { days, pro_rata: proRata, carry_over_until: carryUntil },
  });
  return row;
}

/** A person and the effect of carrying over on them. */
export type CarriedPerson = CarryOverPlan & { readonly person: PersonRow };

/**
 * Previews the carry-over of a year for everyone who is employed on both sides of its end and has an entitlement.
 * @returns by last name
 * @throws Refusal `not_found`, `invalid_request` the year has not begun
 */
export async function previewCarryOver(
  reader: Reader,
  admin: Admin,
  companyId: CompanyId,
  { fromYear, at }: { readonly fromYear: number; readonly at: Instant },
): Promise<readonly CarriedPerson[]> {
  return plansOf(reader, await peopleAtTurn(reader, admin, companyId, { fromYear, at }), fromYear);
}

/**
 * Carries over the days that {@link previewCarryOver} shows. Doing it again after a late change sets the carried-over
 * days again; without one it changes nothing. One transaction: the days of all people or of none.
 * @returns the carry-over of each person, by last name
 * @throws Refusal `not_found`, `invalid_request` the year has not begun
 */
export async function carryOverDays(
  write: Write,
  admin: Admin,
  companyId: CompanyId,
  fromYear: number,
): Promise<readonly CarriedPerson[]> {
  // No request changes an account while it is counted.
  await write.lock({ everyone: companyId });
  const people = await peopleAtTurn(write, admin, companyId, { fromYear, at: write.at });
  const plans = await plansOf(write, people, fromYear);
  const changedPlans = plans.filter(({ changes }) => changes);
  for (const { person, next } of changedPlans)
    await saveEntitlement(write, person, fromYear + 1, next, { forEveryone: true });
  return plans;
}

async function peopleAtTurn(
  reader: Reader,
  admin: Admin,
  companyId: CompanyId,
  { fromYear, at }: { readonly fromYear: number; readonly at: Instant },
): Promise<PersonRow[]> {
  const { id, time_zone: timeZone } = await companyFor(reader, admin, companyId);
  if (fromYear > Number(localDateAt(at, timeZone).slice(0, 4)))
    throw invalidField('from_year', 'in_future', 'The year has not begun.');
  return (await listPeople(reader, { company: id }, { active: true, afterId: 0, limit: maxPeople })).filter(
    (person) => isEmployed(person, `${fromYear}-12-31`) && isEmployed(person, `${fromYear + 1}-01-01`),
  );
}

async function plansOf(reader: Reader, people: readonly PersonRow[], fromYear: number): Promise<CarriedPerson[]> {
  const plans: CarriedPerson[] = [];
  for (const person of people) {
    if ((await entitlementOf(reader, person, fromYear)) === undefined) continue;
    plans.push({ person, ...(await planCarryOver(reader, person, fromYear)) });
  }
  return plans.sort(
    ({ person: a }, { person: b }) =>
      a.last_name.localeCompare(b.last_name) || a.first_name.localeCompare(b.first_name) || a.id - b.id,
  );
}

/** Existing absences keep their decisions. @throws Refusal `not_found` */
export async function changeApprovalRule(
  write: Write,
  admin: Admin,
  personId: PersonId,
  approval: ApprovalRule,
): Promise<void> {
  const { id, company_id: companyId } = await personFor(write, admin, personId);
  await write.lock({ people: [id] });
  await saveApprovalRule(write, id, approval);
  await write.audit({
    companyId,
    action: 'approval_rule.set',
    subject: `person ${id}`,
    details: await keepValues(write, id, { approval }),
  });
}
