/** An approver decides on a request or on a requested cancellation. */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { refuseToDecide } from '../approvals/may-decide.js';
import type { Actor } from '../audit/audit.js';
import { takeSequence } from '../events/events.js';
import { refuseClosedSpan } from '../months/months.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import { allCompanies } from '../tenant/scope.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { openAbsence } from './open-absence.js';
import { recordStep } from './record-step.js';
import { type NamedAbsence, updateAbsence } from './rows.js';
import { refuseOutsideEmployment } from './rules.js';
import { nextStatus } from './state.js';
import { absenceTypesOf } from './types.js';

export type Decision = 'approve' | 'reject' | 'grant_cancellation' | 'decline_cancellation';

const steps = {
  approve: { event: 'leave.approved', action: 'absence.approved' },
  reject: { event: 'leave.rejected', action: 'absence.rejected' },
  grant_cancellation: { event: 'leave.cancelled', action: 'absence.cancellation_granted' },
  // The absence simply counts again, so the event is the same as for an approval.
  decline_cancellation: { event: 'leave.approved', action: 'absence.cancellation_declined' },
} as const;

export interface DecisionRequest {
  readonly id: number;
  readonly decision: Decision;
  readonly decider: PersonRow;
  /** A comment for the person. */
  readonly comment?: string | undefined;
  readonly actor: Actor;
  readonly at: Instant;
}

/**
 * In a closed month, no decision that changes what counts is possible; one that leaves everything unchanged (reject,
 * decline) is.
 * @throws Refusal `not_found`, `own_request`, `already_decided`, `month_closed`, `employment_ended`
 */
export async function decideAbsence(
  tx: Transaction,
  { id, decision, decider, comment, actor, at }: DecisionRequest,
): Promise<NamedAbsence> {
  const { absence: before } = await openAbsence(tx, id, { by: 'approver', scope: allCompanies });
  const person = (await findPerson(tx, before.person_id, { company: before.company_id }))!;
  await refuseToDecide(tx, decider, person);
  const status = nextStatus(before.status, decision, 'approver');
  if (status === undefined) throw new Refusal('already_decided');
  const span = { startDate: before.start_date, endDate: before.end_date };
  let halfDays = before.half_days;
  if (decision === 'approve') {
    // Schedule and holidays may have changed while it waited.
    halfDays = countHalfDays({ ...span, halfDay: before.half_day }, await loadWorkdays(tx, person));
  }
  const types = await absenceTypesOf(tx, before.company_id);

  const changed = await takeSequence(tx);
  if (decision === 'approve') await refuseOutsideEmployment(tx, person.id, span);
  if (decision === 'approve' || decision === 'grant_cancellation')
    await refuseClosedSpan(tx, before.company_id, span.startDate, span.endDate);
  const absence = await updateAbsence(tx, { ...before, status, half_days: halfDays, updated_at: at, changed });
  await recordStep(tx, { ...steps[decision], absence, before, types, actor, at, decided: { by: decider.id, comment } });
  return absence;
}
