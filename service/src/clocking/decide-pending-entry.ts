/** Entries that came without proof (stamps recorded offline) count only after an approver has said so. */

import { resolveRequest } from '../approvals/approvals.js';
import { refuseToDecide } from '../approvals/may-decide.js';
import { refuseClosedMonth } from '../months/months.js';
import { refuseOutsideEmployment } from '../people/employment.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import { allCompanies } from '../tenant/scope.js';
import type { Write } from '../write/write.js';
import { strikeOutCovered } from './empty-entries.js';
import { type EntryRow, findEntry, lastEnd, lockClock, moveEntry, saveClock, workWithin } from './rows.js';
import { recordVersion } from './versions.js';

export interface EntryDecision {
  readonly id: number;
  readonly by: PersonRow;
  readonly decision: 'approved' | 'rejected';
  readonly comment?: string | undefined;
}

/**
 * Approving is a write like any other: closed months, employment and overlaps refuse it. Rejecting is always possible.
 * @throws Refusal `not_found`, `own_request`, `already_decided`, `month_closed`, `employment_ended`, `entry_overlap`
 */
export async function decidePendingEntry(
  write: Write,
  { id, by, decision, comment }: EntryDecision,
): Promise<EntryRow> {
  const { at } = write;
  const entry = await findEntry(write, id, allCompanies);
  const person = entry && (await findPerson(write, entry.person_id, { company: entry.company_id }));
  if (entry === undefined || person === undefined) throw new Refusal('not_found');
  await refuseToDecide(write, by, person);
  const clock = await lockClock(write, person.id, person.company_id, at);
  const changed = await write.allocateSequence();
  const before = await findEntry(write, id, allCompanies);
  if (before?.status !== 'pending') throw new Refusal('already_decided');
  if (decision === 'approved') {
    refuseOutsideEmployment(person, before.date);
    await refuseClosedMonth(write, person.company_id, before.date);
    if (await workWithin(write, { personId: person.id, start: before.start_at, end: before.end_at!, except: id }))
      throw new Refusal('entry_overlap');
  }
  const after = await moveEntry(write, { ...before, status: decision, updated_at: at, changed });
  await recordVersion(write, { before, after, change: decision, by: by.id, reason: comment ?? null, at });
  if (decision === 'approved') await strikeOutCovered(write, after, { by: by.id, reason: comment ?? null });
  if (clock.state === 'out') await saveClock(write, { ...clock, since: await lastEnd(write, person.id) });
  await resolveRequest(write, {
    kind: 'offline_stamp',
    subjectId: id,
    outcome: decision,
    by: by.id,
    ...(comment === undefined ? {} : { comment }),
    at,
  });
  await write.audit({
    companyId: person.company_id,
    action: `entry.${decision}`,
    subject: `person ${person.id}`,
    details: { entry: id },
  });
  return after;
}
