/** An employment ends: absences after its last day are withdrawn, cancelled or shortened. */

import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../people/rows.js';
import type { Write } from '../store/write.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { recordTransition } from './record-transition.js';
import { findAbsence, listTouching, maxSpanDays, type NamedAbsence, updateAbsence } from './rows.js';
import { absenceTypesOf } from './types.js';

const transitions = {
  withdrawn: { event: 'leave.withdrawn', action: 'absence.withdrawn' },
  cancelled: { event: 'leave.cancelled', action: 'absence.cancelled' },
  shortened: { event: 'leave.changed', action: 'absence.changed' },
} as const;

export interface EndedAbsence {
  readonly before: NamedAbsence;
  readonly outcome: keyof typeof transitions;
}

/**
 * Call it in the transaction that sets the last day, with the person locked. Days outside of the employment never
 * count, so closed months do not prevent it.
 */
export async function endAbsencesAfter(write: Write, person: PersonRow, lastDay: LocalDate): Promise<EndedAbsence[]> {
  const { at } = write;
  const types = await absenceTypesOf(write, person.company_id);
  const workdays = await loadWorkdays(write, person);
  const from = addDays(lastDay, 1);
  const endedAbsences: EndedAbsence[] = [];
  for (const { id } of await listTouching(write, {
    personId: person.id,
    from,
    to: '9999-12-31',
    earliest: addDays(from, 1 - maxSpanDays),
  })) {
    const before = (await findAbsence(write, id, { company: person.company_id }))!;
    const outcome =
      before.start_date <= lastDay ? 'shortened' : before.status === 'waiting' ? 'withdrawn' : 'cancelled';
    const absence = await updateAbsence(write, {
      ...before,
      ...(outcome === 'shortened'
        ? { end_date: lastDay, half_days: countHalfDays({ ...before, end_date: lastDay }, workdays) }
        : { status: outcome }),
      updated_at: at,
    });
    await recordTransition(write, { ...transitions[outcome], absence, before, types, because: 'employment_ended' });
    endedAbsences.push({ before, outcome });
  }
  return endedAbsences;
}
