/** Removals, for clients that keep a copy: only kind, id, company and time. Kept for exactly 90 days, then purged. */
import type { Reader } from '@clockproof/platform/database/database';
import { day, formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { EventType } from '../generated/contract.js';
import type { Tables } from '../generated/tables.js';
import type { ChangeSequence, CompanyId } from '../store/ids.js';
import { type TenantScope, within } from '../store/scope.js';
import { insert, removeSome, type Writing } from '../store/tables.js';
import type { Write } from '../store/write.js';

export type RemovedKind = Tables['removals']['kind'];

export type RemovalRow = Omit<Tables['removals'], 'kind' | 'person_id'>;

export const keptFor = 90 * day;

const eventOf = {
  absence: 'leave.removed',
  person: 'user.removed',
  time_entry: 'time_entry.removed',
} as const satisfies Record<RemovedKind, EventType>;

/** Records a removal: the row of the feed and the event. Neither names the person. */
export async function recordRemoval(
  write: Write,
  { kind, id, companyId }: { readonly kind: RemovedKind; readonly id: number; readonly companyId: CompanyId },
): Promise<void> {
  const { at } = write;
  await insert(write, 'removals', { kind, id, company_id: companyId, person_id: null, removed_at: at });
  const data = { id, company_id: companyId, removed_at: formatInstant(at) };
  await write.event({ type: eventOf[kind], companyId, data });
}

export interface RemovalFilter {
  readonly kind: RemovedKind;
  /** After this position in the order of removal. */
  readonly after: { readonly changed: ChangeSequence; readonly id: number };
  readonly upTo: number;
  /** Only removals at this instant or later. */
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
