/**
 * Records a transition of an absence: one audit entry (ids only), one event (the current record), and the change to the
 * approvers' list.
 */

import { moveRequest, resolveRequest } from '../approvals/approvals.js';
import type { AuditAction } from '../audit/actions.js';
import type { EventFacts } from '../events/events.js';
import type { EventType } from '../generated/contract.js';
import type { Write } from '../write/write.js';
import { presentAbsence } from './present.js';
import { requestDecision } from './request-decision.js';
import type { NamedAbsence } from './rows.js';
import type { AbsenceType } from './types.js';

/** Events with the absence as their record. */
type AbsenceEvent = Exclude<Extract<EventType, `leave.${string}`>, 'leave.removed'>;

interface Recorded {
  readonly action: Extract<AuditAction, `absence.${string}`>;
  /** After the transition, with the sequence number `changed` that the transaction allocated. */
  readonly absence: NamedAbsence;
  readonly types: readonly AbsenceType[];
  /** The approver who decided, and a word to the person. */
  readonly decided?: {
    readonly by: number;
    /** The approver in whose place they decided. */
    readonly onBehalfOf: number | undefined;
    readonly comment?: string | undefined;
  };
  /** Set where nobody asked for the transition itself. */
  readonly because?: 'employment_ended' | 'returned';
}

/** `before`: the absence before the transition. A change is described by what differs from it. */
export type Transition = Recorded &
  (
    | { readonly event: Exclude<AbsenceEvent, 'leave.changed'>; readonly before?: NamedAbsence }
    | { readonly event: 'leave.changed'; readonly before: NamedAbsence }
  );

export async function recordTransition(write: Write, transition: Transition): Promise<void> {
  const { action, absence, before, types, because } = transition;
  await keepApproverList(write, transition);
  const data = presentAbsence(absence, types);
  const about = { companyId: absence.company_id, personId: absence.person_id, data };
  const event: EventFacts =
    transition.event === 'leave.changed'
      ? { ...about, type: transition.event, changed: changedMembers(presentAbsence(transition.before, types), data) }
      : { ...about, type: transition.event };
  await write.audit({
    companyId: absence.company_id,
    action,
    subject: `absence ${absence.id}`,
    details: {
      person: absence.person_id,
      status: absence.status,
      ...(before === undefined || before.status === absence.status ? {} : { from: before.status }),
      ...('changed' in event ? { changed: event.changed } : {}),
      ...(because === undefined ? {} : { because }),
      ...(transition.decided?.onBehalfOf === undefined ? {} : { on_behalf_of: transition.decided.onBehalfOf }),
    },
  });
  await write.event(absence.changed, event);
}

/** Names of the members whose values differ, except the instant of the change. */
export function changedMembers(before: object, after: object): string[] {
  const [one, other] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (name) => name !== 'updated_at' && JSON.stringify(one.get(name)) !== JSON.stringify(other.get(name)),
  );
}

/** A request stands in the approvers' list exactly while the absence waits, or its cancellation does. */
async function keepApproverList(write: Write, { absence, before, decided }: Transition): Promise<void> {
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
    at,
    ...(decided === undefined
      ? {}
      : {
          by: decided.by,
          onBehalfOf: decided.onBehalfOf,
          ...(decided.comment === undefined ? {} : { comment: decided.comment }),
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
