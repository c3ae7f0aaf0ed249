/** Retroactive changes of a person: employment and opening balance must not change closed months. */

import type { Reader } from '@clockproof/platform/database/database';
import { addDays } from '@clockproof/platform/time/local-date';
import type { CompanyId } from '../ids.js';
import { applyPersonChange, type PersonChange, savePersonChange } from '../people/people.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import type { Write } from '../write/write.js';
import { refuseClosedSpan } from './months.js';

const everBefore = '0000-01-01';
const everAfter = '9999-12-31';

/**
 * @throws Refusal `not_found`, `month_closed`, `value_taken`, `invalid_request`, `last_admin`
 */
export async function changePerson(
  write: Write,
  id: number,
  companyId: CompanyId,
  change: PersonChange,
): Promise<PersonRow> {
  const changed = await write.allocateSequence();
  const before = await findPerson(write, id, { company: companyId });
  if (before === undefined) throw new Refusal('not_found');
  await refuseClosedChange(write, before, applyPersonChange(before, change));
  return savePersonChange(write, before, change, changed);
}

async function refuseClosedChange(reader: Reader, before: PersonRow, after: PersonRow): Promise<void> {
  const span = (from: string, to: string) => refuseClosedSpan(reader, before.company_id, from, to);
  const [start, newStart] = [before.employment_start ?? everBefore, after.employment_start ?? everBefore];
  if (start !== newStart)
    await span(start < newStart ? start : newStart, addDays(start < newStart ? newStart : start, -1));
  const [end, newEnd] = [before.employment_end ?? everAfter, after.employment_end ?? everAfter];
  if (end !== newEnd) await span(addDays(end < newEnd ? end : newEnd, 1), end < newEnd ? newEnd : end);
  // An opening balance affects every later month.
  if (before.kept_from !== after.kept_from || before.opening_minutes !== after.opening_minutes)
    await span(before.kept_from < after.kept_from ? before.kept_from : after.kept_from, everAfter);
}
