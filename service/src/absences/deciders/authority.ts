/**
 * The people who decide a request of any kind: approvers in whose scope the person is, and in their place the
 * substitutes they have named, who decide on their days or while the approver is absent. A substitute gets the
 * decisions about requests and their grounds, also corrections without a request, nothing else of the approver's
 * rights, and only in the company of both. A substitute needs no role; without one they see the requests alone.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { isInApproverScope } from '../../inbox/approvals.js';
import { isEmployed } from '../../people/employment.js';
import { type RoleGrant, rolesOf } from '../../people/roles.js';
import { findPerson, type PersonRow } from '../../people/rows.js';
import type { PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import { isAway } from '../clash.js';
import { listTouching, maxSpanDays } from '../rows.js';
import { counts } from '../state.js';
import { absenceTypesOf } from '../types.js';
import { listApproversOf, type SubstituteRow } from './substitute-rows.js';

type Decider = Pick<PersonRow, 'id' | 'company_id' | 'active'>;

/** An approver in whose place a substitute decides now, and the scope of that approver. */
interface Substitution {
  readonly approver: PersonId;
  readonly grants: readonly RoleGrant[];
}

export interface Authority {
  /** The decider's own roles. */
  readonly ownGrants: readonly RoleGrant[];
  readonly substitutions: readonly Substitution[];
}

export async function authorityOf(reader: Reader, decider: Decider, at: Instant): Promise<Authority> {
  if (decider.active !== 1) return { ownGrants: [], substitutions: [] };
  const substitutions: Substitution[] = [];
  for (const row of await listApproversOf(reader, decider)) {
    const approver = await findPerson(reader, row.person_id, { company: row.company_id });
    if (approver === undefined || !(await isInForce(reader, row, approver, at))) continue;
    const grants = (await rolesOf(reader, approver.id)).map((grant) => inCompany(grant, approver));
    substitutions.push({ approver: approver.id, grants });
  }
  return { ownGrants: await rolesOf(reader, decider.id), substitutions };
}

/**
 * For reads about people. A substitute without a role of their own sees the requests, and nothing else of the people.
 */
export async function readingAuthorityOf(reader: Reader, decider: Decider, at: Instant): Promise<Authority> {
  const authority = await authorityOf(reader, decider, at);
  return authority.ownGrants.length === 0 ? { ownGrants: [], substitutions: [] } : authority;
}

/** @throws Refusal `forbidden` no requests reach the caller, neither by a role nor as a substitute */
export async function requireAuthority(reader: Reader, decider: Decider, at: Instant): Promise<Authority> {
  const authority = await authorityOf(reader, decider, at);
  if (grantsOf(authority).length === 0) throw new Refusal('forbidden');
  return authority;
}

/** On its days, or while the approver is away; never after the approver has left. */
export async function isInForce(
  reader: Reader,
  { from_date: from, to_date: to }: Pick<SubstituteRow, 'from_date' | 'to_date'>,
  approver: PersonRow,
  at: Instant,
): Promise<boolean> {
  const today = localDateAt(at, approver.time_zone);
  if (approver.active !== 1 || !isEmployed(approver, today)) return false;
  if (from !== null && to !== null) return from <= today && today <= to;
  return isAwayOn(reader, approver, today);
}

async function isAwayOn(reader: Reader, { id, company_id: companyId }: PersonRow, date: LocalDate): Promise<boolean> {
  const absences = await listTouching(reader, {
    personId: id,
    from: date,
    to: date,
    earliest: addDays(date, 1 - maxSpanDays),
  });
  if (absences.length === 0) return false;
  const types = await absenceTypesOf(reader, companyId);
  return absences.some((absence) => counts(absence.status) && isAway(types, absence.type));
}

/** The grant of a substituted approver in their company. An admin becomes an approver of the whole company. */
function inCompany(grant: RoleGrant, { company_id: companyId }: PersonRow): RoleGrant {
  return grant.role === 'approver' ? grant : { role: 'approver', companyId };
}

type ScopedPerson = Pick<PersonRow, 'id' | 'company_id' | 'department_id'>;

/** The approver in whose place the person's requests are decided. An approver's rights never cover their own requests. */
function inWhosePlace({ substitutions }: Authority, person: ScopedPerson): PersonId | undefined {
  return substitutions.find(({ approver, grants }) => approver !== person.id && isInApproverScope(grants, person))
    ?.approver;
}

/** True if a person's requests reach the decider, by a role or as a substitute. */
export function isDecidable(authority: Authority, person: ScopedPerson): boolean {
  return isInApproverScope(authority.ownGrants, person) || inWhosePlace(authority, person) !== undefined;
}

/** Every grant, for lists: their own and those of the approvers in whose place they decide. */
export function grantsOf({ ownGrants, substitutions }: Authority): RoleGrant[] {
  return [...ownGrants, ...substitutions.flatMap(({ grants }) => grants)];
}

/** Approvers in whose place the caller decides, but whose own requests do not reach the caller. */
export async function undecidableApprovers(
  reader: Reader,
  authority: Authority,
  { company_id }: Decider,
): Promise<PersonId[]> {
  const ids: PersonId[] = [];
  for (const { approver } of authority.substitutions) {
    const person = await findPerson(reader, approver, { company: company_id });
    if (person !== undefined && !isDecidable(authority, person)) ids.push(approver);
  }
  return ids;
}

/**
 * @returns the approver in whose place the decision is taken; undefined if the decider may decide without one
 * @throws Refusal `own_request`, `not_found` the person's requests do not reach the decider
 */
export async function refuseToDecideRequest(
  reader: Reader,
  decider: Decider,
  person: PersonRow,
  at: Instant,
): Promise<PersonId | undefined> {
  const authority = await authorityOf(reader, decider, at);
  if (!isDecidable(authority, person)) throw new Refusal('not_found');
  if (decider.id === person.id) throw new Refusal('own_request');
  return isInApproverScope(authority.ownGrants, person) ? undefined : inWhosePlace(authority, person);
}
