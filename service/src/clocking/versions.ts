/**
 * The history of an entry. An entry that was never changed is its own only version; the first change writes down how it
 * stood before and how it stands
 * now, every further one only the latter. No version is ever rewritten.
 */
import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { insertVersion, listVersions, type VersionRow } from './correction-rows.js';
import type { EntryRow } from './rows.js';

export interface EntryChange {
  /** Undefined for an entry that was never stamped. */
  readonly before: EntryRow | undefined;
  readonly after: EntryRow;
  readonly change: Exclude<VersionRow['change'], 'recorded'>;
  readonly by: number;
  readonly reason: string | null;
  readonly at: Instant;
}

export async function recordVersion(
  tx: Transaction,
  { before, after, change, by, reason, at }: EntryChange,
): Promise<void> {
  const known = await listVersions(tx, after.id);
  if (before !== undefined && known.length === 0) await insertVersion(tx, recorded(before));
  await insertVersion(tx, {
    ...timesOf(after),
    entry_id: after.id,
    person_id: after.person_id,
    version: before === undefined ? 1 : Math.max(known.length, 1) + 1,
    at,
    changed_by: by,
    source_name: null,
    change,
    reason,
  });
}

/** All versions, oldest first. */
export async function historyOf(reader: Reader, entry: EntryRow): Promise<VersionRow[]> {
  const versions = await listVersions(reader, entry.id);
  return versions.length === 0 ? [recorded(entry)] : versions;
}

function recorded(entry: EntryRow): VersionRow {
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
}: EntryRow): Pick<VersionRow, 'date' | 'start_at' | 'end_at' | 'breaks' | 'stamps' | 'status'> {
  return { date, start_at, end_at, breaks, stamps, status };
}
