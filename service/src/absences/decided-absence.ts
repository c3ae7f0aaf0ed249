/** An absence as it was when a request about it was decided: it may be shortened, given back or cancelled later. */
import { type AbsenceDraft, draftOf } from './draft.js';
import type { NamedAbsence } from './rows.js';

type Subject = AbsenceDraft & Pick<NamedAbsence, 'half_days' | 'status' | 'updated_at'>;

/** The absence as the request's row stores it. */
export function writeSubject(absence: NamedAbsence): string {
  const { half_days, status, updated_at } = absence;
  return JSON.stringify({ ...draftOf(absence), half_days, status, updated_at } satisfies Subject);
}

/** @param subject of a decided request; null while it waits */
export function absenceAtDecision(absence: NamedAbsence, subject: string | null): NamedAbsence {
  return subject === null ? absence : { ...absence, ...(JSON.parse(subject) as Subject) };
}
