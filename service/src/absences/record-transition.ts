/**
 * Records a transition of an absence: one audit entry (ids only), one event (the current record), and the change to the
 * approvers' list. A request is stored there, and those who decide about it get a notice.
 */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { EventType } from '../generated/contract.js';
import {
  type ApprovalRequest,
  hasWaitingRequest,
  moveRequest,
  openRequest,
  resolveRequest,
} from '../inbox/approvals.js';
import { companyAdmins, installationAdmins, notify } from '../inbox/notices.js';
import { findPerson, listApprovers, type PersonRow } from '../people/rows.js';
import type { AuditAction } from '../store/audit/actions.js';
import type { EventFacts } from '../store/events.js';
import type { PersonId } from '../store/ids.js';
import type { Write } from '../store/write.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { writeSubject } from './decided-absence.js';
import { isInForce } from './deciders/authority.js';
import { listSubstitutesOf } from './deciders/substitute-rows.js';
import { presentAbsence } from './present.js';
import { findAbsence, listTouching, type NamedAbsence, updateAbsence } from './rows.js';
import type { AbsenceType } from './types.js';

/** Events with the absence as their record. */
type AbsenceEvent = Exclude<Extract<EventType, `leave.${string}`>, 'leave.removed'>;

interface TransitionFacts {
  readonly action: Extract<AuditAction, `absence.${string}`>;
  /** After the transition. */
  readonly absence: NamedAbsence;
  readonly types: readonly AbsenceType[];
  /** The approver who decided, with a comment for the person. */
  readonly decision?: {
    readonly by: number;
    /** The approver in whose place they decided. */
    readonly onBehalfOf: number | undefined;
    readonly comment?: string | undefined;
  };
  /** The cause of a transition without a request. */
  readonly because?: 'employment_ended' | 'returned' | 'restored';
}

/** `before`: the absence before the transition. A change is described by its differences from it. */
export type Transition = TransitionFacts &
  (
    | { readonly event: Exclude<AbsenceEvent, 'leave.changed'>; readonly before?: NamedAbsence }
    | { readonly event: 'leave.changed'; readonly before: NamedAbsence }
  );

export async function recordTransition(write: Write, transition: Transition): Promise<void> {
  const { action, absence, before, types, because: reason } = transition;
  await keepApproverList(write, transition);
  const data = presentAbsence(absence, types);
  const subject = { companyId: absence.company_id, personId: absence.person_id, data };
  const event: EventFacts =
    transition.event === 'leave.changed'
      ? { ...subject, type: transition.event, changed: changedMembers(presentAbsence(transition.before, types), data) }
      : { ...subject, type: transition.event };
  await write.audit({
    companyId: absence.company_id,
    action,
    subject: `absence ${absence.id}`,
    details: {
      person: absence.person_id,
      status: absence.status,
      from: before === undefined || before.status === absence.status ? undefined : before.status,
      changed: 'changed' in event ? event.changed : undefined,
      because: reason,
      on_behalf_of: transition.decision?.onBehalfOf,
    },
  });
  await write.event(event);
  await recountOtherHalves(write, transition);
}

/** If only half a day is working time, one of its two halves takes it: the other one is counted again. */
async function recountOtherHalves(write: Write, { absence, before, types }: Transition): Promise<void> {
  const { id, company_id: company, person_id: personId } = absence;
  const halves = [absence, ...(before === undefined ? [] : [before])].filter(({ half_day }) => half_day !== null);
  for (const date of new Set(halves.map(({ start_date }) => start_date))) {
    const absences = await listTouching(write, { personId, from: date, to: date, earliest: date });
    const otherHalves = absences.filter((other) => other.half_day !== null && other.id !== id);
    if (otherHalves.length === 0) continue;
    const workdays = await loadWorkdays(write, (await findPerson(write, personId, { company }))!);
    for (const otherHalf of otherHalves) {
      const halfDays = countHalfDays(otherHalf, workdays);
      if (halfDays === otherHalf.half_days) continue;
      const otherAbsence = (await findAbsence(write, otherHalf.id, { company }))!;
      const changedAbsence = await updateAbsence(write, { ...otherAbsence, half_days: halfDays, updated_at: write.at });
      const step = { event: 'leave.changed', action: 'absence.recounted' } as const;
      await recordTransition(write, { ...step, absence: changedAbsence, before: otherAbsence, types });
    }
  }
}

/** Names of the members whose values differ, except the instant of the change. */
export function changedMembers(before: object, after: object): string[] {
  const [beforeMembers, afterMembers] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...beforeMembers.keys(), ...afterMembers.keys()])].filter(
    (name) =>
      name !== 'updated_at' && JSON.stringify(beforeMembers.get(name)) !== JSON.stringify(afterMembers.get(name)),
  );
}

/** A request stands in the approvers' list exactly while the absence waits, or its cancellation does. */
async function keepApproverList(write: Write, { absence, before, decision }: Transition): Promise<void> {
  const { at } = write;
  const { person_id: id, company_id, department_id } = absence;
  const person = { id, company_id, department_id };
  const request = {
    subjectId: absence.id,
    companyId: absence.company_id,
    personId: absence.person_id,
    from: absence.start_date,
    to: absence.end_date,
    at,
  };
  const resolution = {
    subjectId: absence.id,
    subject: writeSubject(absence),
    at,
    ...(decision === undefined
      ? {}
      : {
          by: decision.by,
          onBehalfOf: decision.onBehalfOf,
          comment: decision.comment,
        }),
  };
  const { status } = absence;
  if (before?.status === status) {
    if (status === 'waiting') await moveRequest(write, { kind: 'absence', ...request });
    if (status === 'cancellation_requested') await moveRequest(write, { kind: 'absence_cancellation', ...request });
  } else if (before?.status === 'waiting') {
    await resolveRequest(write, {
      kind: 'absence',
      ...resolution,
      outcome: status === 'approved' || status === 'rejected' ? status : 'withdrawn',
    });
  } else if (before?.status === 'cancellation_requested') {
    await resolveRequest(write, {
      kind: 'absence_cancellation',
      ...resolution,
      outcome: status === 'cancelled' ? 'approved' : 'rejected',
    });
  } else if (status === 'waiting') {
    await requestDecision(write, person, { kind: 'absence', ...request });
  } else if (status === 'cancellation_requested') {
    await requestDecision(write, person, { kind: 'absence_cancellation', ...request });
  }
}

export type Requester = Pick<PersonRow, 'id' | 'company_id' | 'department_id'>;
type RequestSubject = Omit<Requester, 'id'> & { readonly id: PersonId | undefined };

/**
 * Stores a request and notifies those who decide about it. They get one notice for several stamps without a connection,
 * until all of the person's are decided.
 */
export async function requestDecision(write: Write, person: Requester, request: ApprovalRequest): Promise<void> {
  const { kind, from, to } = request;
  const isNotified = kind === 'offline_stamp' && (await hasWaitingRequest(write, person.id, kind));
  const { id: approval } = await openRequest(write, request);
  if (isNotified) return;
  await notify(write, await decidersOf(write, person, write.at), {
    kind: 'request_waiting',
    approval,
    request: kind,
    person: person.id,
    from,
    to,
  });
}

/**
 * The approvers of a person, or else the admins of the company, or else those of the installation; with the substitutes
 * who decide in their place now. Never the person. For an unknown person: those who decide for the whole company.
 */
export async function decidersOf(
  reader: Reader,
  { id, company_id: companyId, department_id: departmentId }: RequestSubject,
  at: Instant,
): Promise<PersonId[]> {
  const approvers = (await listApprovers(reader, companyId)).filter(
    ({ department_id: of }) => of === null || of === departmentId,
  );
  const choices: readonly (() => Promise<PersonId[]>)[] = [
    async () => approvers.map((approver) => approver.id),
    () => companyAdmins(reader, companyId),
    () => installationAdmins(reader),
  ];
  for (const choice of choices) {
    const deciders = new Set((await choice()).filter((decider) => decider !== id));
    if (deciders.size === 0) continue;
    for (const row of await listSubstitutesOf(reader, [...deciders])) {
      const scope = { company: row.company_id };
      const substitutedApprover = await findPerson(reader, row.person_id, scope);
      const substitute = await findPerson(reader, row.substitute_id, scope);
      if (substitute === undefined || substitute.active === 0 || substitute.id === id) continue;
      if (substitutedApprover !== undefined && (await isInForce(reader, row, substitutedApprover, at)))
        deciders.add(substitute.id);
    }
    return [...deciders];
  }
  return [];
}
