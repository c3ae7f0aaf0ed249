/**
 * Stamps made without a connection. They lack proof, so they become pending entries, which count only after an approver
 * has approved them. An `in` begins an entry, breaks and the `out` that follow go into it. A break or an `out` of
 * someone who is clocked in completes a copy of the open entry; approving puts the copy in its place.
 *
 * Every stamp becomes part of some entry, in every state of the clock: an approver sees all of them. A pending entry
 * that lacks its `out` ends, for now, with its last stamp.
 */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { requestDecision } from '../absences/record-transition.js';
import type { PersonRow } from '../people/rows.js';
import type { Write } from '../store/write.js';
import { addEntry, changeEntry } from './change-entry.js';
import { type OpenEntry, openBreak, type StampKind, stampClock } from './clock-state.js';
import { maxEntryMs } from './entry-times.js';
import { type EntryRow, findOpenEntry, listPendingEntries } from './rows.js';
import { addStamp, breakRulesOn, readBreaks, stampKindsOf, writeBreaks } from './time-entry.js';

export interface OfflineStamp {
  readonly kind: StampKind;
  /** On the device's clock. */
  readonly stampedAt: Instant;
  readonly terminal: { readonly id: string; readonly name: string };
}

/**
 * Lock the person's clock before, so that stamps of one person run one after the other.
 * @returns the entry that holds the stamp now
 */
export async function recordOfflineStamp(
  write: Write,
  person: PersonRow,
  { kind, stampedAt, terminal }: OfflineStamp,
): Promise<EntryRow> {
  const { at } = write;
  const source = { source_kind: 'offline', source_id: terminal.id, source_name: terminal.name, proof: 'none' } as const;
  const before = kind === 'in' ? undefined : await entryFor(write, person.id, kind, stampedAt);
  if (before?.status === 'pending')
    return changeEntry(write, {
      ...before,
      ...timesAfter(before, kind, stampedAt),
      stamps: addStamp(before, kind, stampedAt, source),
      updated_at: at,
    });
  const date = before?.date ?? localDateAt(stampedAt, person.time_zone);
  const entry = await addEntry(write, {
    company_id: person.company_id,
    person_id: person.id,
    date,
    start_at: before?.start_at ?? stampedAt,
    ...(before === undefined ? { end_at: stampedAt, breaks: '[]' } : timesAfter(before, kind, stampedAt)),
    stamps: addStamp(before, kind, stampedAt, source),
    status: 'pending',
    ...source,
    comment: null,
    break_rules: before?.break_rules ?? breakRulesOn(person, date),
    created_at: at,
    updated_at: at,
  });
  await requestDecision(write, person, {
    kind: 'offline_stamp',
    subjectId: entry.id,
    companyId: person.company_id,
    personId: person.id,
    from: date,
    to: date,
    at,
  });
  return entry;
}

/** The entry that the stamp continues: a pending one that runs, or the open one; undefined if it continues none. */
async function entryFor(
  reader: Reader,
  personId: number,
  kind: StampKind,
  stampedAt: Instant,
): Promise<EntryRow | undefined> {
  const span = { from: stampedAt - maxEntryMs, to: stampedAt };
  const pendingEntries = (await listPendingEntries(reader, personId, span)).filter(isRunning);
  const openEntry = await findOpenEntry(reader, personId);
  return [...pendingEntries, ...(openEntry === undefined ? [] : [openEntry])].find(
    (entry) => lastInstantOf(entry) <= stampedAt && !('refused' in stampClock(runningOf(entry), kind, stampedAt)),
  );
}

/** A pending entry of offline stamps without its `out`. Approved, it is open. */
export function isRunning(entry: Pick<EntryRow, 'status' | 'stamps'>): boolean {
  const kinds = entry.stamps === null ? [] : stampKindsOf(entry.stamps);
  return entry.status === 'pending' && kinds[0] === 'in' && kinds.at(-1) !== 'out';
}

/**
 * The open entry that a pending one continues, and whose place it takes when it is approved. Undefined if it continues
 * none, or if the open one has been stamped since.
 */
export async function findReplaced(reader: Reader, pendingEntry: EntryRow): Promise<EntryRow | undefined> {
  const openEntry = await findOpenEntry(reader, pendingEntry.person_id);
  return openEntry?.start_at === pendingEntry.start_at && isBeginning(openEntry.stamps, pendingEntry.stamps)
    ? openEntry
    : undefined;
}

function isBeginning(stamps: string | null, longerStamps: string | null): boolean {
  if (stamps === null || longerStamps === null) return false;
  const [list, longerList] = [JSON.parse(stamps) as unknown[], JSON.parse(longerStamps) as unknown[]];
  return JSON.stringify(longerList.slice(0, list.length)) === JSON.stringify(list);
}

const runningOf = (entry: EntryRow): OpenEntry => ({ start: entry.start_at, breaks: readBreaks(entry.breaks) });

function lastInstantOf(entry: EntryRow): Instant {
  const last = readBreaks(entry.breaks).at(-1);
  return Math.max(entry.start_at, last?.end ?? last?.start ?? 0);
}

function timesAfter(before: EntryRow, kind: StampKind, stampedAt: Instant): Pick<EntryRow, 'end_at' | 'breaks'> {
  const transition = stampClock(runningOf(before), kind, stampedAt);
  if ('changes' in transition) return { end_at: stampedAt, breaks: writeBreaks(transition.changes.breaks) };
  if ('closes' in transition) return { end_at: transition.closes.end, breaks: writeBreaks(transition.closes.breaks) };
  throw new Error('a stamp that the entry does not take');
}

/** The state of the clock once a running entry is approved. */
export function clockOf(entry: EntryRow): {
  readonly state: 'in' | 'on_break';
  readonly since: Instant;
  readonly break_since: Instant | null;
} {
  const pause = openBreak(runningOf(entry));
  return { state: pause === undefined ? 'in' : 'on_break', since: entry.start_at, break_since: pause?.start ?? null };
}
