/** Recalculates the working days of absences after a change to a schedule or the holidays. */

import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { findPerson, type PersonRow } from '../people/rows.js';
import type { CompanyId } from '../store/ids.js';
import type { Write } from '../store/write.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { recordTransition } from './record-transition.js';
import { findAbsence, listAbsentFrom, listTouching, lockAbsences, maxSpanDays, updateAbsence } from './rows.js';
import { absenceTypesOf } from './types.js';

/**
 * Recalculates the days of a person's live absences from a date on. Call it in the transaction that changes a schedule
 * or a region, after the change, with the person locked.
 * @param from first day on which the schedule or the holidays differ
 * @returns number of absences whose days changed
 */
export async function recountDays(write: Write, person: PersonRow, from: LocalDate): Promise<number> {
  const { at } = write;
  await lockAbsences(write, person.id);
  const workdays = await loadWorkdays(write, person);
  const types = await absenceTypesOf(write, person.company_id);
  let changedCount = 0;
  for (const row of await listTouching(write, {
    personId: person.id,
    from,
    to: '9999-12-31',
    earliest: addDays(from, 1 - maxSpanDays),
  })) {
    const halfDays = countHalfDays(row, workdays);
    if (halfDays === row.half_days) continue;
    const before = (await findAbsence(write, row.id, { company: person.company_id }))!;
    const absence = await updateAbsence(write, { ...before, half_days: halfDays, updated_at: at });
    await recordTransition(write, { event: 'leave.changed', action: 'absence.recounted', absence, before, types });
    changedCount++;
  }
  return changedCount;
}

/**
 * {@link recountDays} for everyone in a company, after a change to its schedules or its region. Lock
 * everyone of the company before. Keeps no more than ids in memory.
 */
export async function recountEveryonesDays(write: Write, companyId: CompanyId, from: LocalDate): Promise<void> {
  for (const id of await listAbsentFrom(write, companyId, { from, earliest: addDays(from, 1 - maxSpanDays) }))
    await recountDays(write, (await findPerson(write, id, { company: companyId }))!, from);
}
