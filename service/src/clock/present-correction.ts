/** Corrections and versions as the pages show them. */

import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import { erasedPersonName, personReference } from '../people/actor.js';
import { listNames } from '../people/rows.js';
import { type CorrectionRow, listLastChanges, type VersionRow } from './correction-rows.js';
import { type EntryRow, findEntry } from './rows.js';
import { presentEntry, readBreaks } from './time-entry.js';
import { entryInVersion, entryOf, presentVersionOf } from './versions.js';

type Schemas = components['schemas'];

export async function presentCorrections(
  reader: Reader,
  rows: readonly CorrectionRow[],
): Promise<Map<CorrectionRow, Schemas['Correction']>> {
  const names = await listNames(
    reader,
    rows.flatMap((row) => [row.person_id, row.requested_by, ...(row.decided_by === null ? [] : [row.decided_by])]),
  );
  const reference = (id: number) => personReference(id, names);
  const correctionsByRow = new Map<CorrectionRow, Schemas['Correction']>();
  for (const row of rows) {
    correctionsByRow.set(row, {
      id: `cor_${row.id}`,
      person: reference(row.person_id),
      status: row.status,
      ...(await subjectOf(reader, row)),
      remove: row.remove === 1,
      ...(row.start_at === null
        ? {}
        : {
            start: formatInstant(row.start_at),
            end: formatInstant(row.end_at!),
            breaks: readBreaks(row.breaks!).map(presentBreak),
          }),
      reason: row.reason,
      requested_by: reference(row.requested_by),
      requested_at: formatInstant(row.requested_at),
      decided_by: row.decided_by === null ? undefined : reference(row.decided_by),
      decided_at: formatInstant(row.decided_at),
      decision_reason: row.decision_reason ?? undefined,
    });
  }
  return correctionsByRow;
}

/** The entry as it was, and of a waiting request as it is now if it has changed since. */
async function subjectOf(
  reader: Reader,
  { company_id: company, entry_id: id, entry_version: version, status }: CorrectionRow,
): Promise<Pick<Schemas['Correction'], 'entry_id' | 'entry' | 'present_entry'>> {
  const entry = id === null ? undefined : await findEntry(reader, id, { company });
  if (entry === undefined) return {};
  if (version === null) return { entry_id: entry.id };
  const hasChanged = status === 'waiting' && (await presentVersionOf(reader, entry.id)) !== version;
  return {
    entry_id: entry.id,
    entry: presentEntry(await entryInVersion(reader, entry, version)),
    present_entry: hasChanged ? presentEntry(entry) : undefined,
  };
}

function presentBreak({ start, end }: { readonly start: number; readonly end?: number }): Schemas['RestBreak'] {
  return { start: formatInstant(start), end: formatInstant(end) };
}

/** Entries as the pages list them: each with its last change, if it was changed after it was recorded. */
export async function presentEntriesWithChange(
  reader: Reader,
  entries: readonly EntryRow[],
): Promise<Map<EntryRow, Schemas['PersonEntry']>> {
  const changes = await listLastChanges(
    reader,
    entries.map(({ id }) => id),
  );
  const names = await namesOfAuthors(reader, changes);
  const lastOf = new Map(changes.map((change) => [change.entry_id, change]));
  return new Map(
    entries.map((entry) => {
      const last = lastOf.get(entry.id);
      const change = last && { last_change: { ...presentChange(last, names), change: last.change } };
      return [entry, { ...presentEntry(entry), ...change }];
    }),
  );
}

function namesOfAuthors(reader: Reader, versions: readonly VersionRow[]): Promise<ReadonlyMap<number, string>> {
  return listNames(
    reader,
    versions.flatMap((version) => (version.changed_by === null ? [] : [version.changed_by])),
  );
}

/** The author, time and reason of a change of an entry. */
function presentChange(
  { at, changed_by, source_name, reason }: VersionRow,
  names: ReadonlyMap<number, string>,
): Pick<Schemas['EntryVersion'], 'at' | 'by' | 'reason'> {
  return {
    at: formatInstant(at),
    by: changed_by === null ? (source_name ?? erasedPersonName) : (names.get(changed_by) ?? erasedPersonName),
    reason: reason ?? undefined,
  };
}

/** @param entry as it is now */
export async function presentVersions(
  reader: Reader,
  entry: EntryRow,
  versions: readonly VersionRow[],
): Promise<Schemas['EntryVersion'][]> {
  const names = await namesOfAuthors(reader, versions);
  return versions.map((row) => ({
    version: row.version,
    ...presentChange(row, names),
    change: row.change,
    entry: presentEntry(entryOf(entry, row)),
  }));
}
