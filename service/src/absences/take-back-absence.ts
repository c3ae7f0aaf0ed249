/**
 * Withdraws or cancels an absence. A waiting one is withdrawn. For an approved one, cancellation is requested, or
 * granted immediately if the caller may decide it.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Actor } from '../audit/audit.js';
import { takeSequence } from '../events/events.js';
import { refuseClosedSpan } from '../months/months.js';
import { Refusal } from '../refusal.js';
import { type AbsenceAccess, openAbsence } from './open-absence.js';
import { recordStep } from './record-step.js';
import { type NamedAbsence, updateAbsence } from './rows.js';
import { nextStatus } from './state.js';
import { absenceTypesOf } from './types.js';

const steps = {
  withdrawn: { event: 'leave.withdrawn', action: 'absence.withdrawn' },
  cancellation_requested: { event: 'leave.cancellation_requested', action: 'absence.cancellation_requested' },
  cancelled: { event: 'leave.cancelled', action: 'absence.cancelled' },
} as const;

/**
 * The last day of employment does not prevent it: absences after that day have to be removed.
 * @throws Refusal `not_found`, `precondition_failed`, `absence_not_changeable`, `month_closed`
 */
export async function takeBackAbsence(
  tx: Transaction,
  {
    id,
    access,
    actor,
    at,
  }: { readonly id: number; readonly access: AbsenceAccess; readonly actor: Actor; readonly at: Instant },
): Promise<NamedAbsence> {
  const { absence: before, role } = await openAbsence(tx, id, access);
  const status = nextStatus(before.status, 'take_back', role);
  if (status !== 'withdrawn' && status !== 'cancellation_requested' && status !== 'cancelled')
    throw new Refusal('absence_not_changeable');
  const types = await absenceTypesOf(tx, before.company_id);

  const changed = await takeSequence(tx);
  await refuseClosedSpan(tx, before.company_id, before.start_date, before.end_date);
  const absence = await updateAbsence(tx, { ...before, status, updated_at: at, changed });
  await recordStep(tx, { ...steps[status], absence, before, types, actor, at });
  return absence;
}
