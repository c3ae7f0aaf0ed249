/** A schedule or the holidays have changed: absences take as many working days as they take now. */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { Actor } from '../audit/audit.js';
import { takeSequence } from '../events/events.js';
import type { PersonRow } from '../people/rows.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { recordStep } from './record-step.js';
import { findAbsence, listTouching, lockAbsences, maxSpanDays, updateAbsence } from './rows.js';
import { absenceTypesOf } from './types.js';

/**
 * Counts the days of a person's live absences anew, from a date on. Whoever changes a schedule or a region calls it in
 * the same transaction, after the change, and
 * has locked the person's absences (`lockAbsences`) before taking a place in the order of commit: everybody takes the
 * two in this order.
 * @param from first day on which the schedule or the holidays differ
 * @returns how many absences have another number of days than before
 */
export async function recountDays(
  tx: Transaction,
  person: PersonRow,
  from: LocalDate,
  actor: Actor,
  at: Instant,
): Promise<number> {
  await lockAbsences(tx, person.id);
  const workdays = await loadWorkdays(tx, person);
  const types = await absenceTypesOf(tx, person.company_id);
  let recounted = 0;
  for (const row of await listTouching(tx, {
    personId: person.id,
    from,
    to: '9999-12-31',
    earliest: addDays(from, 1 - maxSpanDays),
  })) {
    const halfDays = countHalfDays(
      { startDate: row.start_date, endDate: row.end_date, halfDay: row.half_day },
      workdays,
    );
    if (halfDays === row.half_days) continue;
    const before = (await findAbsence(tx, row.id, { company: person.company_id }))!;
    const changed = await takeSequence(tx);
    const absence = await updateAbsence(tx, { ...before, half_days: halfDays, updated_at: at, changed });
    await recordStep(tx, { event: 'leave.changed', action: 'absence.recounted', absence, before, types, actor, at });
    recounted++;
  }
  return recounted;
}
