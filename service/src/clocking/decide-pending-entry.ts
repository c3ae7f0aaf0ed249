/** Entries that came without proof (stamps recorded offline) count only after an approver has said so. */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { settle } from '../approvals/approvals.js';
import { refuseToDecide } from '../approvals/may-decide.js';
import { appendAudit } from '../audit/audit.js';
import { takeSequence } from '../events/events.js';
import { refuseClosedMonth } from '../months/months.js';
import { actorOf } from '../people/actor.js';
import { refuseOutsideEmployment } from '../people/employment.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import { allCompanies } from '../tenant/scope.js';
import { type EntryRow, findEntry, lastEnd, lockClock, moveEntry, saveClock, workWithin } from './rows.js';
import { recordVersion } from './versions.js';

export interface EntryDecision {
  readonly id: number;
  readonly by: PersonRow;
  readonly decision: 'approved' | 'rejected';
  readonly comment?: string | undefined;
  readonly at: Instant;
}

/**
 * Approving is a write like any other: closed months, employment and overlaps refuse it. Rejecting is always possible.
 * @throws Refusal `not_found`, `own_request`, `already_decided`, `month_closed`, `employment_ended`, `entry_overlap`
 */
export async function decidePendingEntry(
  tx: Transaction,
  { id, by, decision, comment, at }: EntryDecision,
): Promise<EntryRow> {
  const entry = await findEntry(tx, id, allCompanies);
  const person = entry && (await findPerson(tx, entry.person_id, { company: entry.company_id }));
  if (entry === undefined || person === undefined) throw new Refusal('not_found');
  await refuseToDecide(tx, by, person);
  const clock = await lockClock(tx, person.id, person.company_id, at);
  const changed = await takeSequence(tx);
  const before = await findEntry(tx, id, allCompanies);
  if (before?.status !== 'pending') throw new Refusal('already_decided');
  if (decision === 'approved') {
    refuseOutsideEmployment(person, before.date);
    await refuseClosedMonth(tx, person.company_id, before.date);
    if (await workWithin(tx, { personId: person.id, start: before.start_at, end: before.end_at!, except: id }))
      throw new Refusal('entry_overlap');
  }
  const after = await moveEntry(tx, { ...before, status: decision, updated_at: at, changed });
  await recordVersion(tx, { before, after, change: decision, by: by.id, reason: comment ?? null, at });
  if (clock.state === 'out') await saveClock(tx, { ...clock, since: await lastEnd(tx, person.id) });
  await settle(tx, {
    kind: 'offline_stamp',
    subjectId: id,
    outcome: decision,
    by: by.id,
    ...(comment === undefined ? {} : { comment }),
    at,
  });
  await appendAudit(tx, {
    at,
    companyId: person.company_id,
    actor: actorOf(by),
    action: `entry.${decision}`,
    subject: `person ${person.id}`,
    details: { entry: id },
  });
  return after;
}
