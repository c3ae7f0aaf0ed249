/** Removals, for clients that keep a copy: only kind, id, company and time. Kept for exactly 90 days, then purged. */
import type { Reader } from '@clockproof/platform/database/database';
import { day, type Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { ChangeSequence, PersonId } from '../store/ids.js';
import { type TenantScope, within } from '../store/scope.js';
import { insert, removeSome, type Writing } from '../store/tables.js';

export type RemovedKind = Tables['removals']['kind'];

export type RemovalRow = Omit<Tables['removals'], 'kind' | 'person_id'>;

export const keptFor = 90 * day;

export async function insertRemoval(tx: Writing, row: Omit<Tables['removals'], 'changed'>): Promise<void> {
  await insert(tx, 'removals', row);
}

/** Records every entry of a person as removed. */
export async function removeEntries(tx: Writing, personId: PersonId, at: Instant): Promise<void> {
  const entries = await tx.all<Pick<Tables['time_entries'], 'id' | 'company_id'>>(
    'SELECT id, company_id FROM time_entries WHERE person_id = :personId ORDER BY id',
    { personId },
  );
  for (const { id, company_id } of entries)
    await insertRemoval(tx, { kind: 'time_entry', id, company_id, person_id: null, removed_at: at });
}

export interface RemovalFilter {
  readonly kind: RemovedKind;
  /** After this position in the order of removal. */
  readonly after: { readonly changed: ChangeSequence; readonly id: number };
  readonly upTo: number;
  /** Not removed before. */
  readonly since: Instant;
  readonly limit: number;
}

export function listRemovals(
  reader: Reader,
  scope: TenantScope,
  { kind, after, upTo, since, limit }: RemovalFilter,
): Promise<RemovalRow[]> {
  const { sql, parameters } = within(scope, { company: 'company_id', person: 'person_id' });
  return reader.all<RemovalRow>(
    `SELECT id, company_id, removed_at, changed FROM removals
     WHERE kind = :kind AND changed <= :upTo AND (changed, id) > (:afterChanged, :afterId) AND removed_at >= :since
      ${sql}
     ORDER BY changed, id LIMIT :limit`,
    { kind, afterChanged: after.changed, afterId: after.id, upTo, since, limit, ...parameters },
  );
}

/** Purges some removals older than 90 days. @returns their number */
export function purgeExpiredRemovals(tx: Writing, at: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'removals', ['kind', 'id'], 'removed_at < :before', { before: at - keptFor, limit });
}
