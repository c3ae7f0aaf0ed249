import type { Reader } from '@clockproof/platform/database/database';
import type { Tables } from '../generated/tables.js';
import type { CompanyId, CorrectionId, EntryId, PersonId } from '../store/ids.js';
import { type TenantScope, within } from '../store/scope.js';
import { among, insert, insertReturning, updateReturning, type Writing } from '../store/tables.js';

export type CorrectionRow = Tables['corrections'];

/** The state of an entry at a time. Written once, never changed. */
export type VersionRow = Tables['entry_versions'];

export async function insertCorrection(tx: Writing, row: Omit<CorrectionRow, 'id'>): Promise<CorrectionRow> {
  return insertReturning(tx, 'corrections', row);
}

export function findCorrection(
  reader: Reader,
  id: CorrectionId,
  scope: TenantScope,
): Promise<CorrectionRow | undefined> {
  const { sql, parameters } = within(scope, { company: 'company_id', person: 'person_id' });
  return reader.get<CorrectionRow>(`SELECT * FROM corrections WHERE id = :id ${sql}`, { id, ...parameters });
}

/** Resolves a waiting correction. Of two concurrent calls, only one finds it. */
export async function resolveCorrection(
  tx: Writing,
  {
    id,
    ...resolution
  }: Pick<
    CorrectionRow,
    'id' | 'status' | 'entry_id' | 'entry_version' | 'decided_by' | 'decided_at' | 'decision_reason'
  >,
): Promise<CorrectionRow | undefined> {
  return (await updateReturning(tx, 'corrections', { id, status: 'waiting' }, resolution))[0];
}

/** Corrections of a person, newest first, before an id. */
export function listCorrections(
  reader: Reader,
  { personId, beforeId, limit }: { readonly personId: PersonId; readonly beforeId: number; readonly limit: number },
): Promise<CorrectionRow[]> {
  return reader.all<CorrectionRow>(
    'SELECT * FROM corrections WHERE person_id = :personId AND id < :beforeId ORDER BY id DESC LIMIT :limit',
    { personId, beforeId, limit },
  );
}

/** Corrections of a company that await a decision. */
export function listWaitingCorrections(
  reader: Reader,
  companyId: CompanyId,
): Promise<Pick<CorrectionRow, 'id' | 'entry_id' | 'start_at'>[]> {
  return reader.all(
    "SELECT id, entry_id, start_at FROM corrections WHERE company_id = :companyId AND status = 'waiting'",
    {
      companyId,
    },
  );
}

/** Corrections of an entry that await a decision. */
export function listWaitingCorrectionsOf(reader: Reader, entryId: EntryId): Promise<CorrectionRow[]> {
  return reader.all("SELECT * FROM corrections WHERE entry_id = :entryId AND status = 'waiting'", { entryId });
}

/** Entries of a person about which a correction awaits a decision. */
export async function listEntriesUnderCorrection(reader: Reader, personId: PersonId): Promise<EntryId[]> {
  const rows = await reader.all<{ entry_id: EntryId }>(
    "SELECT entry_id FROM corrections WHERE person_id = :personId AND status = 'waiting' AND entry_id IS NOT NULL",
    { personId },
  );
  return rows.map((row) => row.entry_id);
}

export function listVersions(reader: Reader, entryId: EntryId): Promise<VersionRow[]> {
  return reader.all<VersionRow>('SELECT * FROM entry_versions WHERE entry_id = :entryId ORDER BY version', { entryId });
}

/** A changed version of a recorded entry. */
export type ChangedVersion = VersionRow & { readonly change: Exclude<VersionRow['change'], 'recorded'> };

/** The last version of each entry that has been changed since it was recorded. */
export async function listLastChanges(reader: Reader, entryIds: readonly EntryId[]): Promise<ChangedVersion[]> {
  if (entryIds.length === 0) return [];
  const { list, parameters } = among(entryIds);
  return reader.all<ChangedVersion>(
    `SELECT * FROM entry_versions v WHERE entry_id IN (${list}) AND change <> 'recorded'
       AND version = (SELECT max(l.version) FROM entry_versions l WHERE l.entry_id = v.entry_id)`,
    parameters,
  );
}

export async function insertVersion(tx: Writing, row: VersionRow): Promise<void> {
  await insert(tx, 'entry_versions', row);
}
