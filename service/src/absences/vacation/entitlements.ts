/** The vacation days of many people in a year. */
import type { Reader } from '@clockproof/platform/database/database';
import { type Admin, companyFor } from '../../people/administered.js';
import { listPeople, type PersonRow } from '../../people/rows.js';
import type { CompanyId, DepartmentId, PersonId } from '../../store/ids.js';
import { ownChangesOf } from '../../store/own-changes.js';
import type { Write } from '../../store/write.js';
import { findEntitlement, findVacationPolicy } from '../rows.js';
import {
  type Entitlement,
  isEmployedIn,
  noEntitlement,
  type ProRata,
  proRata,
  saveEntitlement,
} from './vacation-account.js';

const maxPeople = 1_000_000;

export interface EntitlementsDraft {
  readonly year: number;
  /** Days of the whole year, in steps of .5. */
  readonly days: number;
  readonly departmentId?: DepartmentId | undefined;
  /** Only these people. */
  readonly userIds?: readonly PersonId[] | undefined;
}

export type PlannedEntitlement =
  | {
      readonly person: PersonRow;
      readonly before: Entitlement | undefined;
      readonly after: ProRata;
      readonly changes: boolean;
    }
  | { readonly id: PersonId; readonly person?: PersonRow; readonly error: 'unknown' | 'not_employed' | 'own_request' };

/**
 * Previews the new days. Admins cannot set their own.
 * @returns by last name; people for whom nothing can be set at the end
 * @throws Refusal `not_found`
 */
export async function planEntitlements(
  reader: Reader,
  admin: Admin,
  companyId: CompanyId,
  draft: EntitlementsDraft,
): Promise<PlannedEntitlement[]> {
  return plansFor(reader, admin, companyId, draft, await peopleOf(reader, admin, companyId, draft));
}

/**
 * Sets the days that {@link planEntitlements} shows. Carried-over days stay. One transaction: the days of all people or
 * of none.
 * @throws Refusal `not_found`
 */
export async function saveEntitlements(
  write: Write,
  admin: Admin,
  companyId: CompanyId,
  draft: EntitlementsDraft,
): Promise<PlannedEntitlement[]> {
  // No request changes an account while its days are set.
  await write.lock({ everyone: companyId });
  const people = await peopleOf(write, admin, companyId, draft);
  const plans = await plansFor(write, admin, companyId, draft, people);
  for (const plan of plans) {
    if ('error' in plan || !plan.changes) continue;
    const { carriedDays, carriedUntil } = plan.before ?? noEntitlement;
    await saveEntitlement(write, plan.person, draft.year, { days: plan.after.days, carriedDays, carriedUntil });
  }
  return plans;
}

async function peopleOf(
  reader: Reader,
  admin: Admin,
  companyId: CompanyId,
  { year, departmentId, userIds }: EntitlementsDraft,
): Promise<PersonRow[]> {
  const { id } = await companyFor(reader, admin, companyId);
  const people = await listPeople(reader, { company: id }, { active: undefined, afterId: 0, limit: maxPeople });
  if (userIds !== undefined) {
    const selectedIds = new Set(userIds);
    return people.filter((person) => selectedIds.has(person.id));
  }
  return people.filter(
    (person) => isEmployedIn(person, year) && (departmentId === undefined || person.department_id === departmentId),
  );
}

async function plansFor(
  reader: Reader,
  { person: admin }: Admin,
  companyId: CompanyId,
  { year, days, userIds }: EntitlementsDraft,
  people: readonly PersonRow[],
): Promise<PlannedEntitlement[]> {
  const isRefused = (await ownChangesOf(reader, admin)) === 'refused';
  const rule = (await findVacationPolicy(reader, companyId))?.pro_rata ?? 'none';
  const personIds = new Set(people.map(({ id }) => id));
  const plans: PlannedEntitlement[] = [];
  const faults: PlannedEntitlement[] = [...new Set(userIds ?? [])]
    .filter((id) => !personIds.has(id))
    .map((id) => ({ id, error: 'unknown' }));
  for (const person of [...people].sort(byName)) {
    if (!isEmployedIn(person, year)) {
      faults.unshift({ id: person.id, person, error: 'not_employed' });
      continue;
    }
    if (person.id === admin.id && isRefused) {
      faults.unshift({ id: person.id, person, error: 'own_request' });
      continue;
    }
    const row = await findEntitlement(reader, person.id, year);
    const before =
      row === undefined
        ? undefined
        : { days: row.half_days / 2, carriedDays: row.carried_half_days / 2, carriedUntil: row.carried_until };
    const after = proRata(days, rule, person, year);
    plans.push({ person, before, after, changes: before?.days !== after.days });
  }
  return [...plans, ...faults];
}

function byName(a: PersonRow, b: PersonRow): number {
  return a.last_name.localeCompare(b.last_name) || a.first_name.localeCompare(b.first_name) || a.id - b.id;
}
