/**
 * Requests that await an approver, and their outcome: one row each, for any subject. The room that owns the subject
 * opens and resolves the row in the transaction of its own change. This room knows only the request, its days, and the
 * person who decided.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { type RoleGrant, rolesOf } from '../people/roles.js';
import type { PersonRow } from '../people/rows.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Writing } from '../store/tables.js';
import type { Write } from '../store/write.js';
import {
  type ApprovalKind,
  type ApprovalRow,
  insertRequest,
  latestApproval,
  type Outcome,
  resolveWaiting,
  spanRequest,
} from './approval-rows.js';
import { markWaitingRead, notify } from './notices.js';

export interface ApprovalRequest {
  readonly kind: ApprovalKind;
  /** Id of the absence, correction or entry. */
  readonly subjectId: number;
  readonly companyId: CompanyId;
  readonly personId: PersonId;
  /** The days it affects: a month with waiting requests cannot be closed. */
  readonly from: LocalDate;
  readonly to: LocalDate;
  readonly at: Instant;
}

/** Stores a request. One subject has at most one waiting request of a kind. */
export function openRequest(tx: Writing, request: ApprovalRequest): Promise<ApprovalRow> {
  return insertRequest(tx, request);
}

/** Updates the days of a waiting request after its subject changed. */
export function moveRequest(
  tx: Writing,
  request: Pick<ApprovalRequest, 'kind' | 'subjectId' | 'from' | 'to'>,
): Promise<void> {
  return spanRequest(tx, request);
}

export interface Resolution {
  readonly kind: ApprovalKind;
  readonly subjectId: number;
  readonly outcome: Outcome;
  /** The person who decided; absent for a withdrawal and for a decision by rule. */
  readonly by?: number | undefined;
  /** The approver in whose place they decided. */
  readonly onBehalfOf?: PersonId | undefined;
  readonly comment?: string | undefined;
  /** The subject as it was decided, shown unchanged even if it changes later. The room of the subject reads it. */
  readonly subject?: string;
  readonly at: Instant;
}

/**
 * Resolves the waiting request of a subject and notifies the person of a decision.
 * @returns whether there was one; of two concurrent calls, only one finds it
 */
export async function resolveRequest(write: Write, resolution: Resolution): Promise<boolean> {
  if ((await resolveWaiting(write, resolution)) !== 1) return false;
  const { kind, subjectId, outcome, by } = resolution;
  const { id, person_id: person, from_date: from, to_date: to } = (await latestApproval(write, kind, subjectId))!;
  await markWaitingRead(write, id);
  if (by === undefined || outcome === 'withdrawn') return true;
  await notify(write, [person], { kind: 'request_decided', request: kind, outcome, from, to });
  return true;
}

/** Number of requests about days of a month that await a decision. */
export async function countWaitingInMonth(reader: Reader, companyId: CompanyId, month: string): Promise<number> {
  return (await reader.get<{ waiting: number }>(
    "SELECT count(*) AS waiting FROM approvals WHERE company_id = :companyId AND status = 'waiting' AND from_date <= :last AND to_date >= :first",
    { companyId, first: `${month}-01`, last: `${month}-31` },
  ))!.waiting;
}

/** Whether a person has a waiting request of a kind. */
export async function hasWaitingRequest(reader: Reader, personId: PersonId, kind: ApprovalKind): Promise<boolean> {
  const row = await reader.get<{ id: number }>(
    "SELECT id FROM approvals WHERE person_id = :personId AND kind = :kind AND status = 'waiting' LIMIT 1",
    { personId, kind },
  );
  return row !== undefined;
}

/** Numbers of a person's waiting requests; a kind without one is left out. */
export async function countWaitingByKind(
  reader: Reader,
  personId: PersonId,
): Promise<ReadonlyMap<ApprovalKind, number>> {
  const rows = await reader.all<{ kind: ApprovalKind; waiting: number }>(
    "SELECT kind, count(*) AS waiting FROM approvals WHERE person_id = :personId AND status = 'waiting' GROUP BY kind",
    { personId },
  );
  return new Map(rows.map(({ kind, waiting }) => [kind, waiting]));
}

/**
 * Whether a person is in the approver scope of these roles: approvers decide for their departments, company admins for
 * the company, super admins for everyone. Ignores whether it is the approver's own request.
 */
export function isInApproverScope(
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
 * @throws Refusal `own_request` it is the approver's own request, `not_found` the person is outside the approver's
 * scope
 */
export async function requireApprover(
  reader: Reader,
  decider: Pick<PersonRow, 'id' | 'active'>,
  person: PersonRow,
): Promise<void> {
  const grants = decider.active === 1 ? await rolesOf(reader, decider.id) : [];
  if (!isInApproverScope(grants, person)) throw new Refusal('not_found');
  if (decider.id === person.id) throw new Refusal('own_request');
}
