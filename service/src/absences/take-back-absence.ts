/**
 * Withdraws or cancels an absence. A waiting one is withdrawn. For an approved one, cancellation is requested, or
 * granted immediately if the caller may decide it.
 */

import { refuseClosedSpan } from '../months/months.js';
import { Refusal } from '../refusal.js';
import type { Write } from '../write/write.js';
import { type AbsenceAccess, openAbsence } from './open-absence.js';
import { recordTransition } from './record-transition.js';
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
  write: Write,
  { id, access }: { readonly id: number; readonly access: AbsenceAccess },
): Promise<NamedAbsence> {
  const { at } = write;
  const { absence: before, role } = await openAbsence(write, id, access);
  const status = nextStatus(before.status, 'take_back', role);
  if (status !== 'withdrawn' && status !== 'cancellation_requested' && status !== 'cancelled')
    throw new Refusal('absence_not_changeable');
  const types = await absenceTypesOf(write, before.company_id);

  const changed = await write.allocateSequence();
  await refuseClosedSpan(write, before.company_id, before.start_date, before.end_date);
  const absence = await updateAbsence(write, { ...before, status, updated_at: at, changed });
  await recordTransition(write, { ...steps[status], absence, before, types });
  return absence;
}
