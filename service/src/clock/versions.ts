/**
 * The history of an entry. An entry that was never changed is its own only version; the first change writes down how it
 * stood before and how it stands now, every further one only the latter. No version is ever rewritten.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { EntryId, PersonId } from '../store/ids.js';
import type { Writing } from '../store/tables.js';
import type { Write } from '../store/write.js';
import { refuseClosedMonth } from '../working-time/closed-months.js';
import { changeEntry } from './change-entry.js';
import { insertVersion, listVersions, type VersionRow } from './correction-rows.js';
import { type EntryRow, listEmptyEntries } from './rows.js';

export interface EntryChange {
  /** Undefined for an entry that was never stamped. */
  readonly before: EntryRow | undefined;
  readonly after: EntryRow;
  readonly change: Exclude<VersionRow['change'], 'recorded'>;
  /** Null if the service does. */
  readonly by: PersonId | null;
  readonly reason: string | null;
  readonly at: Instant;
}

/** @returns the number of the version in which the entry stands now */
export async function recordVersion(
  tx: Writing,
  { before, after, change, by, reason, at }: EntryChange,
): Promise<number> {
  const versions = await listVersions(tx, after.id);
  if (before !== undefined && versions.length === 0) await insertVersion(tx, firstVersionOf(before));
  const version = before === undefined ? 1 : Math.max(versions.length, 1) + 1;
  await insertVersion(tx, {
    ...timesOf(after),
    entry_id: after.id,
    person_id: after.person_id,
    version,
    at,
    changed_by: by,
    source_name: by === null ? 'Clockproof' : null,
    change,
    reason,
  });
  return version;
}

/** The number of the version in which an entry stands: 1 as long as it is unchanged. */
export async function presentVersionOf(reader: Reader, entryId: EntryId): Promise<number> {
  return (await listVersions(reader, entryId)).at(-1)?.version ?? 1;
}

/** The entry as it stood in a version; as it stands now if that is its only one. */
export async function entryInVersion(reader: Reader, entry: EntryRow, version: number): Promise<EntryRow> {
  const versionRow = (await listVersions(reader, entry.id)).find((candidate) => candidate.version === version);
  return versionRow === undefined ? entry : entryOf(entry, versionRow);
}

/** @param entry for its source, proof and comment, which no correction changes */
export function entryOf(entry: EntryRow, { at, ...version }: VersionRow): EntryRow {
  return { ...entry, ...timesOf({ ...entry, ...version }), updated_at: at };
}

/** All versions, oldest first. */
export async function historyOf(reader: Reader, entry: EntryRow): Promise<VersionRow[]> {
  const versions = await listVersions(reader, entry.id);
  return versions.length === 0 ? [firstVersionOf(entry)] : versions;
}

function firstVersionOf(entry: EntryRow): VersionRow {
  const byPerson = entry.source_kind === 'web';
  return {
    ...timesOf(entry),
    entry_id: entry.id,
    person_id: entry.person_id,
    version: 1,
    at: entry.updated_at,
    changed_by: byPerson ? entry.person_id : null,
    source_name: byPerson ? null : (entry.source_name ?? entry.source_kind),
    change: 'recorded',
    reason: null,
  };
}

function timesOf({
  date,
  start_at,
  end_at,
  breaks,
  stamps,
  status,
  break_rules,
}: EntryRow): Pick<VersionRow, 'date' | 'start_at' | 'end_at' | 'breaks' | 'stamps' | 'status' | 'break_rules'> {
  return { date, start_at, end_at, breaks, stamps, status, break_rules };
}

/**
 * Strikes out the entries without a minute, clocked in by mistake and out again, that the times of an entry cover. The
 * real work around them can then be recorded, and no two counting entries overlap.
 * @param entry as it counts from now on
 * @throws Refusal `month_closed` one of them lies in a closed month
 */
export async function strikeOutCovered(
  write: Write,
  entry: EntryRow,
  { by, reason }: { readonly by: number; readonly reason: string | null },
): Promise<void> {
  const { at } = write;
  const { person_id: personId, start_at: start, end_at: end, id: except } = entry;
  for (const before of end === null ? [] : await listEmptyEntries(write, { personId, start, end, except })) {
    await refuseClosedMonth(write, before.company_id, before.date);
    const after = await changeEntry(write, { ...before, status: 'rejected', updated_at: at });
    await recordVersion(write, { before, after, change: 'struck_out', by, reason, at });
    await write.audit({
      companyId: before.company_id,
      action: 'entry.struck_out',
      subject: `person ${personId}`,
      details: { entry: before.id },
    });
  }
}
