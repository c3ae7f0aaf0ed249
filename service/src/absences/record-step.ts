/**
 * Records a transition of an absence: one audit entry (ids only), one event (the current record), and the change to the
 * approvers' list.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { moveRequest, openRequest, settle } from '../approvals/approvals.js';
import type { AuditAction } from '../audit/actions.js';
import { type Actor, appendAudit } from '../audit/audit.js';
import { appendEvent } from '../events/events.js';
import type { EventType } from '../generated/contract.js';
import { presentAbsence } from './present.js';
import type { NamedAbsence } from './rows.js';
import type { AbsenceType } from './types.js';

export interface Step {
  readonly event: EventType;
  readonly action: Extract<AuditAction, `absence.${string}`>;
  /** After the transition, with the sequence number `changed` that the transaction allocated. */
  readonly absence: NamedAbsence;
  /** Before it. */
  readonly before?: NamedAbsence;
  readonly types: readonly AbsenceType[];
  readonly actor: Actor;
  readonly at: Instant;
  /** The approver who decided, and a comment for the person. */
  readonly decided?: { readonly by: number; readonly comment?: string | undefined };
}

export async function recordStep(tx: Transaction, step: Step): Promise<void> {
  const { event, action, absence, before, types, actor, at } = step;
  await keepApproverList(tx, step);
  const data = presentAbsence(absence, types);
  const changed =
    before === undefined || event !== 'leave.changed' ? undefined : changedMembers(presentAbsence(before, types), data);
  await appendAudit(tx, {
    at,
    companyId: absence.company_id,
    actor,
    action,
    subject: `absence ${absence.id}`,
    details: {
      person: absence.person_id,
      status: absence.status,
      ...(before === undefined || before.status === absence.status ? {} : { from: before.status }),
      ...(changed === undefined ? {} : { changed }),
    },
  });
  await appendEvent(tx, absence.changed, {
    type: event,
    at,
    companyId: absence.company_id,
    personId: absence.person_id,
    data,
    ...(changed === undefined ? {} : { changed }),
  });
}

/** Names of the members whose values differ, except the instant of the change. */
export function changedMembers(before: object, after: object): string[] {
  const [one, other] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (name) => name !== 'updated_at' && JSON.stringify(one.get(name)) !== JSON.stringify(other.get(name)),
  );
}

/** A request is in the approvers' list exactly while the absence or its cancellation is waiting. */
async function keepApproverList(tx: Transaction, { absence, before, at, decided }: Step): Promise<void> {
  const request = {
    subjectId: absence.id,
    companyId: absence.company_id,
    personId: absence.person_id,
    from: absence.start_date,
    to: absence.end_date,
    at,
  };
  const settled = {
    subjectId: absence.id,
    at,
    ...(decided === undefined
      ? {}
      : { by: decided.by, ...(decided.comment === undefined ? {} : { comment: decided.comment }) }),
  };
  const { status } = absence;
  if (before?.status === 'waiting') {
    if (status === 'waiting') await moveRequest(tx, { kind: 'absence', ...request });
    else
      await settle(tx, {
        kind: 'absence',
        ...settled,
        outcome: status === 'approved' || status === 'rejected' ? status : 'withdrawn',
      });
  } else if (before?.status === 'cancellation_requested') {
    await settle(tx, {
      kind: 'absence_cancellation',
      ...settled,
      outcome: status === 'cancelled' ? 'approved' : 'rejected',
    });
  } else if (status === 'waiting') {
    await openRequest(tx, { kind: 'absence', ...request });
  } else if (status === 'cancellation_requested') {
    await openRequest(tx, { kind: 'absence_cancellation', ...request });
  }
}
