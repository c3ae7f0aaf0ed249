import type { Reader, Transaction } from '@clockproof/platform/database/database';
import { type TenantScope, within } from '../tenant/scope.js';
import type { EntryRow } from './rows.js';

export interface CorrectionRow {
  /** Shown as `cor_<id>`. */
  readonly id: number;
  readonly company_id: number;
  readonly person_id: number;
  /** The entry to correct; null until an entry that was never stamped has been made. */
  readonly entry_id: number | null;
  /** 1: strike the entry out; then there are no times. */
  readonly remove: 0 | 1;
  readonly start_at: number | null;
  readonly end_at: number | null;
  /** JSON as in the entry; null with `remove`. */
  readonly breaks: string | null;
  readonly reason: string;
  readonly status: 'waiting' | 'approved' | 'rejected' | 'withdrawn';
  readonly requested_by: number;
  readonly requested_at: number;
  readonly decided_by: number | null;
  readonly decided_at: number | null;
  readonly decision_reason: string | null;
}

/** How an entry stood at a time. Written once, never changed. */
export interface VersionRow {
  readonly entry_id: number;
  readonly person_id: number;
  /** Counts from 1, which is the entry as stamped. */
  readonly version: number;
  readonly at: number;
  /** The person who changed it; null for what came through an extension or a terminal. */
  readonly changed_by: number | null;
  readonly source_name: string | null;
  readonly change: 'recorded' | 'corrected' | 'approved' | 'rejected' | 'struck_out';
  readonly reason: string | null;
  readonly date: string;
  readonly start_at: number;
  readonly end_at: number | null;
  readonly breaks: string;
  readonly status: EntryRow['status'];
}

export async function insertCorrection(tx: Transaction, row: Omit<CorrectionRow, 'id'>): Promise<CorrectionRow> {
  return (await tx.get<CorrectionRow>(
    `INSERT INTO corrections (company_id, person_id, entry_id, remove, start_at, end_at, breaks, reason, status, requested_by, requested_at, decided_by, decided_at, decision_reason)
     VALUES (:company_id, :person_id, :entry_id, :remove, :start_at, :end_at, :breaks, :reason, :status, :requested_by, :requested_at, :decided_by, :decided_at, :decision_reason) RETURNING *`,
    { ...row },
  ))!;
}

export function findCorrection(reader: Reader, id: number, scope: TenantScope): Promise<CorrectionRow | undefined> {
  const { sql, parameters } = within(scope, { company: 'company_id', person: 'person_id' });
  return reader.get<CorrectionRow>(`SELECT * FROM corrections WHERE id = :id ${sql}`, { id, ...parameters });
}

/** Settles a correction that waits; of two who settle at once only one finds it. */
export function settleCorrection(
  tx: Transaction,
  row: Pick<CorrectionRow, 'id' | 'status' | 'entry_id' | 'decided_by' | 'decided_at' | 'decision_reason'>,
): Promise<CorrectionRow | undefined> {
  const { id, status, entry_id, decided_by, decided_at, decision_reason } = row;
  return tx.get<CorrectionRow>(
    `UPDATE corrections SET status = :status, entry_id = :entry_id, decided_by = :decided_by, decided_at = :decided_at, decision_reason = :decision_reason
     WHERE id = :id AND status = 'waiting' RETURNING *`,
    { id, status, entry_id, decided_by, decided_at, decision_reason },
  );
}

/** Corrections of a person, newest first, before an id. */
export function listCorrections(
  reader: Reader,
  { personId, beforeId, limit }: { readonly personId: number; readonly beforeId: number; readonly limit: number },
): Promise<CorrectionRow[]> {
  return reader.all<CorrectionRow>(
    'SELECT * FROM corrections WHERE person_id = :personId AND id < :beforeId ORDER BY id DESC LIMIT :limit',
    { personId, beforeId, limit },
  );
}

export function listVersions(reader: Reader, entryId: number): Promise<VersionRow[]> {
  return reader.all<VersionRow>('SELECT * FROM entry_versions WHERE entry_id = :entryId ORDER BY version', { entryId });
}

export async function insertVersion(tx: Transaction, row: VersionRow): Promise<void> {
  await tx.run(
    `INSERT INTO entry_versions (entry_id, version, person_id, at, changed_by, source_name, change, reason, date, start_at, end_at, breaks, status)
     VALUES (:entry_id, :version, :person_id, :at, :changed_by, :source_name, :change, :reason, :date, :start_at, :end_at, :breaks, :status)`,
    { ...row },
  );
}
