/** Entries that came without proof (stamps recorded offline) count only after an approver has said so. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { openRequest } from '../absences/deciders/open-request.js';
import { resolveRequest } from '../inbox/approvals.js';
import { refuseOutsideEmployment } from '../people/employment.js';
import type { PersonRow } from '../people/rows.js';
import { allCompanies } from '../store/every-company.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedMonth } from '../working-time/closed-months.js';
import { changeEntry } from './change-entry.js';
import { endClock, lastKnown } from './corrections.js';
import { clockOf, findReplaced, isRunning } from './offline-stamps.js';
import { type ClockRow, type EntryRow, findEntry, lockClock, saveClock, saveLastEnd, workWithin } from './rows.js';
import { presentClock, presentEntry, readBreaks, stampKindsOf, writeBreaks } from './time-entry.js';
import { recordVersion, strikeOutCovered } from './versions.js';

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
  const {
    request: before,
    person,
    onBehalfOf,
  } = await openRequest(
    write,
    by,
    () => findEntry(write, id, allCompanies),
    ({ status }) => status === 'pending',
  );
  const clock = await lockClock(write, person.id);
  const decisionFacts = { by: by.id, reason: comment ?? null, at };
  const isApproved = decision === 'approved';
  const becomesRunning = isApproved && isRunning(before);
  if (isApproved) {
    refuseOutsideEmployment(person, before.date);
    await refuseClosedMonth(write, person.company_id, before.date);
    if (await overlapsWork(write, before)) throw new Refusal('entry_overlap');
  }
  const replacedEntry = isApproved ? await findReplaced(write, before) : undefined;
  if (replacedEntry !== undefined) await replace(write, replacedEntry, decisionFacts);
  const after = await changeEntry(write, {
    ...before,
    ...(becomesRunning ? { status: 'open' as const, end_at: null } : { status: decision }),
    updated_at: at,
  });
  const version = await recordVersion(write, { before, after, change: decision, ...decisionFacts });
  if (isApproved) await strikeOutCovered(write, after, decisionFacts);
  if (becomesRunning) await runClock(write, clock, after);
  else if (replacedEntry !== undefined) await endClock(write, clock, after);
  else if (clock.state === 'out') await saveLastEnd(write, person.id);
  await resolveRequest(write, {
    kind: 'offline_stamp',
    subjectId: id,
    subject: String(version),
    outcome: decision,
    by: by.id,
    onBehalfOf,
    comment,
    at,
  });
  await write.audit({
    companyId: person.company_id,
    action: `entry.${decision}`,
    subject: `person ${person.id}`,
    details: { entry: id, on_behalf_of: onBehalfOf },
  });
  return after;
}

/** Whether other work is recorded at the time of a pending entry; of one that lacks its end, also later. */
export async function overlapsWork(reader: Reader, entry: EntryRow): Promise<boolean> {
  return workWithin(reader, {
    personId: entry.person_id,
    start: entry.start_at,
    end: isRunning(entry) ? Number.MAX_SAFE_INTEGER : entry.end_at!,
    except: entry.id,
    replacedId: (await findReplaced(reader, entry))?.id,
  });
}

/**
 * Strikes out the open entry whose place the approved one takes. It ends at the last time that it is known to go on.
 */
async function replace(
  write: Write,
  before: EntryRow,
  { by, reason, at }: { readonly by: number; readonly reason: string | null; readonly at: Instant },
): Promise<void> {
  const breaks = readBreaks(before.breaks).map(({ start, end }) => ({ start, end: end ?? start }));
  const after = await changeEntry(write, {
    ...before,
    end_at: lastKnown(before),
    breaks: writeBreaks(breaks),
    status: 'rejected',
    updated_at: at,
  });
  await recordVersion(write, { before, after, change: 'struck_out', by, reason, at });
}

/** An approved entry without its end is open: the person is clocked in, and apps that follow the clock get an event. */
async function runClock(write: Write, clock: ClockRow, entry: EntryRow): Promise<void> {
  const { source_kind, source_id, source_name } = entry;
  const nextClock = { ...clock, ...clockOf(entry), source_kind, source_id, source_name, updated_at: write.at };
  await saveClock(write, nextClock);
  await write.event({
    type: `clock.${stampKindsOf(entry.stamps!).at(-1)!}`,
    companyId: entry.company_id,
    personId: entry.person_id,
    data: { clock_state: presentClock(nextClock), time_entry: presentEntry(entry) },
  });
}
