/** Changes what an absence is about, and takes absences back. */

import { findPerson } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedSpan } from '../working-time/closed-months.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { recordTransition } from './record-transition.js';
import { type NamedAbsence, updateAbsence } from './rows.js';
import {
  type AbsenceAccess,
  type AbsenceDraft,
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
  /** Members present are set; null removes `halfDay` or `comment` (RFC 7396). */
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

  const was: AbsenceDraft = {
    type: before.type,
    startDate: before.start_date,
    endDate: before.end_date,
    halfDay: before.half_day,
    comment: before.comment,
  };
  const draft: AbsenceDraft = { ...was, ...patch };
  validateSpan(draft);
  const person = (await findPerson(write, before.person_id, { company: before.company_id }))!;
  const types = await absenceTypesOf(write, before.company_id);
  // A kind the company has taken off its list may stay, not come.
  const type =
    draft.type === was.type
      ? types.find((type) => type.key === draft.type)!
      : await offeredType(write, before.company_id, draft.type);
  refuseHalfDay(type, draft);
  if (sameDraft(was, draft)) return before;
  await refuseOverlap(write, before.person_id, type, types, draft, id);
  const halfDays = countHalfDays(draft, await loadWorkdays(write, person));

  await refuseOutsideEmployment(write, person.id, draft);
  for (const { startDate, endDate } of [was, draft])
    await refuseClosedSpan(write, before.company_id, startDate, endDate);
  const absence = await updateAbsence(write, {
    ...before,
    type: draft.type,
    start_date: draft.startDate,
    end_date: draft.endDate,
    half_day: draft.halfDay,
    half_days: halfDays,
    comment: draft.comment,
    status,
    updated_at: at,
  });
  await recordTransition(write, { event: 'leave.changed', action: 'absence.changed', absence, before, types });
  return absence;
}

function sameDraft(one: AbsenceDraft, other: AbsenceDraft): boolean {
  return (
    one.type === other.type &&
    one.startDate === other.startDate &&
    one.endDate === other.endDate &&
    one.halfDay === other.halfDay &&
    one.comment === other.comment
  );
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
