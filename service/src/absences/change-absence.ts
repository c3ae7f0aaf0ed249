/** Changes absences and takes them back. */

import { findPerson } from '../people/rows.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedSpan } from '../working-time/closed-months.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { type AbsenceDraft, draftOf, sameDraft } from './draft.js';
import { type FreedDays, keptReturns, settleFreedDays } from './freed-days.js';
import { recordTransition } from './record-transition.js';
import { freedSpans } from './returned-spans.js';
import { type ApprovalRule, type NamedAbsence, readApprovalRule, updateAbsence } from './rows.js';
import {
  type AbsenceAccess,
  needsApproval,
  openAbsence,
  refuseHalfDay,
  refuseOutsideEmployment,
  refuseOverlap,
  validateSpan,
} from './rules.js';
import { nextStatus } from './state.js';
import { type AbsenceType, absenceTypesOf, offeredType } from './types.js';

export interface AbsenceChange {
  readonly id: number;
  readonly access: AbsenceAccess;
  /** Members present are set; null removes an optional one (RFC 7396). */
  readonly patch: Partial<AbsenceDraft>;
  /** The approver's choice for the days that the absence no longer has. */
  readonly freedDays?: FreedDays | undefined;
}

/**
 * An absence keeps its state when it changes: a waiting one goes on waiting, an approved one stays approved. The
 * requester can only end an approved one early, if it needs no approval.
 * @throws Refusal `not_found`, `precondition_failed`, `absence_not_changeable`, `invalid_request`,
 * `absence_type_unknown`, `half_day_not_allowed`,
 * `employment_ended`, `month_closed`, `absence_overlap`
 */
export async function changeAbsence(
  write: Write,
  { id, access, patch, freedDays }: AbsenceChange,
): Promise<NamedAbsence> {
  const { at } = write;
  const { absence: before, role } = await openAbsence(write, id, access);
  const types = await absenceTypesOf(write, before.company_id);
  const draft = { ...draftOf(before), ...patch };
  const rule = await readApprovalRule(write, before.person_id);
  const step = role === 'requester' && mayEndEarly(before, types, rule) && endsEarly(before, draft);
  const status = nextStatus(before.status, step ? 'end_early' : 'change', role);
  if (status === undefined) throw new Refusal('absence_not_changeable');

  validateSpan(draft);
  const person = (await findPerson(write, before.person_id, { company: before.company_id }))!;
  // An absence may keep a kind that the company no longer offers, but not change to one.
  const type =
    draft.type === before.type
      ? types.find((type) => type.key === draft.type)!
      : await offeredType(write, before.company_id, draft.type);
  refuseHalfDay(type, draft);
  if (sameDraft(before, draft)) return before;
  const returnedVacation = keptReturns(before, draft, type);
  if (returnedVacation !== null && draft.half_day !== null)
    throw invalidField('half_day', 'contradiction', 'Only whole days of vacation are given back.');
  const returnsVacation = before.status === 'waiting' && returnedVacation !== null;
  await refuseOverlap(write, draft, { personId: person.id, types, except: id, returnsVacation });
  const workdays = await loadWorkdays(write, person);

  await refuseOutsideEmployment(write, person.id, draft);
  for (const { start_date, end_date } of endsEarly(before, draft) ? freedSpans(before, draft) : [before, draft])
    await refuseClosedSpan(write, before.company_id, start_date, end_date);
  const absence = await updateAbsence(write, {
    ...before,
    ...draft,
    half_days: countHalfDays({ ...draft, id, status }, workdays),
    status,
    returned_vacation: returnedVacation,
    updated_at: at,
  });
  await recordTransition(write, { event: 'leave.changed', action: 'absence.changed', absence, before, types });
  await settleFreedDays(write, {
    before,
    after: draft,
    person,
    freedDays: role === 'approver' ? freedDays : { kind: 'vacation' },
    types,
    workdays,
  });
  return absence;
}

/** Whether the person may end an absence before its last day themselves: without approval, as they may record it. */
export function mayEndEarly(
  { status, type, start_date, end_date }: Pick<NamedAbsence, 'status' | 'type' | 'start_date' | 'end_date'>,
  types: readonly AbsenceType[],
  rule: ApprovalRule,
): boolean {
  const kind = types.find(({ key }) => key === type);
  return status === 'approved' && start_date < end_date && kind !== undefined && !needsApproval(kind, rule);
}

/** An earlier last day, and nothing else. */
function endsEarly(before: AbsenceDraft, draft: AbsenceDraft): boolean {
  return draft.end_date < before.end_date && sameDraft(before, { ...draft, end_date: before.end_date });
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
 * @throws Refusal `not_found`, `precondition_failed`, `absence_not_changeable`, `month_closed`, `invalid_request` some
 * days were vacation, and the approver named no new kind for them
 */
export async function withdrawOrCancelAbsence(
  write: Write,
  { id, access, freedDays }: Omit<AbsenceChange, 'patch'>,
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
  if (status !== 'cancelled') return absence;
  const person = (await findPerson(write, before.person_id, { company: before.company_id }))!;
  await settleFreedDays(write, {
    before,
    after: undefined,
    person,
    freedDays: role === 'approver' ? freedDays : { kind: 'vacation' },
    types,
    workdays: await loadWorkdays(write, person),
  });
  return absence;
}
