/** Changes what an absence is about, and takes absences back. */

import { findPerson } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedSpan } from '../working-time/closed-months.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { type AbsenceDraft, draftOf, sameDraft } from './draft.js';
import { recordTransition } from './record-transition.js';
import { type NamedAbsence, updateAbsence } from './rows.js';
import {
  type AbsenceAccess,
  openAbsence,
  refuseHalfDay,
  refuseOutsideEmployment,
  refuseOverlap,
  validateSpan,
} from './rules.js';
import { nextStatus } from './state.js';
import { absenceTypesOf, offeredType } from './types.js';

export interface AbsenceChange {
  readonly id: number;
  readonly access: AbsenceAccess;
  /** Members present are set; null removes `half_day` or `comment` (RFC 7396). */
  readonly patch: Partial<AbsenceDraft>;
}

/**
 * An absence keeps its state when it changes: what waits goes on waiting, what is approved stays so.
 * @throws Refusal `not_found`, `precondition_failed`, `absence_not_changeable`, `invalid_request`,
 * `absence_type_unknown`, `half_day_not_allowed`,
 *   `employment_ended`, `month_closed`, `absence_overlap`
 */
export async function changeAbsence(write: Write, { id, access, patch }: AbsenceChange): Promise<NamedAbsence> {
  const { at } = write;
  const { absence: before, role } = await openAbsence(write, id, access);
  const status = nextStatus(before.status, 'change', role);
  if (status === undefined) throw new Refusal('absence_not_changeable');

  const draft = { ...draftOf(before), ...patch };
  validateSpan(draft);
  const person = (await findPerson(write, before.person_id, { company: before.company_id }))!;
  const types = await absenceTypesOf(write, before.company_id);
  // A kind the company has taken off its list may stay, not come.
  const type =
    draft.type === before.type
      ? types.find((type) => type.key === draft.type)!
      : await offeredType(write, before.company_id, draft.type);
  refuseHalfDay(type, draft);
  if (sameDraft(before, draft)) return before;
  await refuseOverlap(write, draft, { personId: person.id, types, except: id });
  const halfDays = countHalfDays(draft, await loadWorkdays(write, person));

  await refuseOutsideEmployment(write, person.id, draft);
  for (const { start_date, end_date } of [before, draft])
    await refuseClosedSpan(write, before.company_id, start_date, end_date);
  const absence = await updateAbsence(write, {
    ...before,
    ...draft,
    half_days: halfDays,
    status,
    updated_at: at,
  });
  await recordTransition(write, { event: 'leave.changed', action: 'absence.changed', absence, before, types });
  return absence;
}

const steps = {
  withdrawn: { event: 'leave.withdrawn', action: 'absence.withdrawn' },
  cancellation_requested: { event: 'leave.cancellation_requested', action: 'absence.cancellation_requested' },
  cancelled: { event: 'leave.cancelled', action: 'absence.cancelled' },
} as const;

/**
 * Withdraws or cancels an absence. A waiting one is withdrawn. For an approved one, cancellation is requested, or
 * granted immediately if the caller may decide it.
 *
 * The last day of employment does not prevent it: absences after that day have to be removed.
 * @throws Refusal `not_found`, `precondition_failed`, `absence_not_changeable`, `month_closed`
 */
export async function withdrawOrCancelAbsence(
  write: Write,
  { id, access }: { readonly id: number; readonly access: AbsenceAccess },
): Promise<NamedAbsence> {
  const { at } = write;
  const { absence: before, role } = await openAbsence(write, id, access);
  const status = nextStatus(before.status, 'take_back', role);
  if (status !== 'withdrawn' && status !== 'cancellation_requested' && status !== 'cancelled')
    throw new Refusal('absence_not_changeable');
  const types = await absenceTypesOf(write, before.company_id);

  await refuseClosedSpan(write, before.company_id, before.start_date, before.end_date);
  const absence = await updateAbsence(write, { ...before, status, updated_at: at });
  await recordTransition(write, { ...steps[status], absence, before, types });
  return absence;
}
