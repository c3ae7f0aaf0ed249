/** An approver decides about a request, or about a request to cancel. */

import type { PersonRow } from '../people/rows.js';
import { allCompanies } from '../store/every-company.js';
import type { Write } from '../store/write.js';
import { refuseClosedSpan } from '../working-time/closed-months.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { openRequest } from './deciders/open-request.js';
import { settleFreedDays } from './freed-days.js';
import { recordTransition } from './record-transition.js';
import { returnVacation } from './returned-vacation.js';
import { findAbsence, type NamedAbsence, updateAbsence } from './rows.js';
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
}

/**
 * In a closed month, only a decision that leaves everything unchanged (reject, decline) is possible.
 * @throws Refusal `not_found`, `own_request`, `already_decided`, `month_closed`, `employment_ended`
 */
export async function decideAbsence(
  write: Write,
  { id, decision, decider, comment }: DecisionRequest,
): Promise<NamedAbsence> {
  const { at } = write;
  const next = (absence: NamedAbsence) => nextStatus(absence.status, decision, 'approver');
  const {
    request: before,
    person,
    onBehalfOf,
  } = await openRequest(
    write,
    decider,
    () => findAbsence(write, id, allCompanies),
    (absence) => next(absence) !== undefined,
  );
  // Schedule and holidays may have changed while it waited.
  const workdays = await loadWorkdays(write, person);
  const status = next(before)!;
  const halfDays = decision === 'approve' ? countHalfDays({ ...before, status }, workdays) : before.half_days;
  const types = await absenceTypesOf(write, before.company_id);

  if (decision === 'approve') await refuseOutsideEmployment(write, person.id, before);
  if (decision === 'approve' || decision === 'grant_cancellation')
    await refuseClosedSpan(write, before.company_id, before.start_date, before.end_date);
  const returnedVacation =
    decision === 'approve' && before.returned_vacation !== null
      ? JSON.stringify(await returnVacation(write, person.id, before, { types, workdays }))
      : before.returned_vacation;
  const absence = await updateAbsence(write, {
    ...before,
    status,
    half_days: halfDays,
    returned_vacation: returnedVacation,
    updated_at: at,
  });
  await recordTransition(write, {
    ...steps[decision],
    absence,
    before,
    types,
    decision: { by: decider.id, onBehalfOf, comment },
  });
  if (decision === 'grant_cancellation')
    await settleFreedDays(write, {
      before,
      after: undefined,
      person,
      freedDays: { kind: 'vacation' },
      types,
      workdays,
    });
  return absence;
}
