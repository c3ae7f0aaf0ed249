/** Recalculates the working days of absences after a schedule or the holidays have changed. */
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
 * Recalculates the days of a person's live absences from a date on. Call it in the transaction that changes a schedule
 * or a region, after the change, and lock the person's absences (`lockAbsences`) before allocating a sequence number:
 * all writers take the two in this order.
 * @param from first day on which the schedule or the holidays differ
 * @returns number of absences whose days changed
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
