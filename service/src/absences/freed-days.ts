/**
 * Gives a new kind to the days that an absence no longer has. After the person's own early end and a granted
 * cancellation, vacation goes on as approved; an approver names the kind of the days.
 */
import type { PersonRow } from '../people/rows.js';
import { invalidField } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import type { Workdays } from './days.js';
import { draftOf } from './draft.js';
import { type Author, requestAbsence } from './request-absence.js';
import { type FreedSpan, freedSpans, returnedSpans, returnedWithin, type Span } from './returned-spans.js';
import { mayReturnVacation, restoreVacation } from './returned-vacation.js';
import type { AbsenceRow, NamedAbsence } from './rows.js';
import { counts } from './state.js';
import type { AbsenceType } from './types.js';

export type FreedDays =
  | { readonly kind: 'work' }
  /** As far as they were vacation before. */
  | { readonly kind: 'vacation' }
  | { readonly kind: 'another_kind'; readonly type: string; readonly author: Author };

/** The vacation that an absence has still given back after its change. */
export function keptReturns(before: AbsenceRow, after: Span, type: AbsenceType): string | null {
  if (before.returned_vacation === null || !mayReturnVacation(type)) return null;
  return JSON.stringify(returnedWithin(returnedSpans(before), [after]));
}

export interface Freeing {
  readonly before: NamedAbsence;
  /** Its new days; undefined once it is cancelled. */
  readonly after: FreedSpan | undefined;
  readonly person: PersonRow;
  /** The approver's choice; the default of everyone else is `vacation`. */
  readonly freedDays: FreedDays | undefined;
  readonly types: readonly AbsenceType[];
  readonly workdays: Workdays;
}

/**
 * Call it after the absence is stored with its new days or its new state.
 * @throws Refusal `invalid_request` some days were vacation, and their new kind is missing; otherwise as
 * {@link requestAbsence}
 */
export async function settleFreedDays(
  write: Write,
  { before, after, person, freedDays, types, workdays }: Freeing,
): Promise<void> {
  if (!counts(before.status)) return;
  const freedDateSpans = freedSpans(before, after);
  const vacation = returnedWithin(returnedSpans(before), freedDateSpans);
  if (freedDays === undefined && vacation.length > 0)
    throw invalidField('freed_days', 'missing', 'Some of these days were vacation. Say what they are now.');
  if (freedDays?.kind === 'vacation') await restoreVacation(write, person, vacation, { types, workdays });
  if (freedDays?.kind !== 'another_kind') return;
  const { type, author } = freedDays;
  for (const span of freedDateSpans)
    await requestAbsence(write, {
      personId: person.id,
      companyId: person.company_id,
      draft: draftOf({ type, ...span }),
      author,
    });
}
