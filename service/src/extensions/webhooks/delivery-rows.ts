/** Statements for endpoints, deliveries and their attempts. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../../generated/tables.js';
import { defined } from '../../store/defined.js';
import type { ChangeSequence, ExtensionId } from '../../store/ids.js';
import { settledPosition } from '../../store/position.js';
import {
  insert,
  insertFrom,
  insertIfAbsent,
  removeWhere,
  type Transaction,
  update,
  updateWhere,
} from '../../store/tables.js';
import type { ExtensionRow } from '../rows.js';

export type EndpointRow = Tables['webhook_endpoints'];
export type DeliveryRow = Tables['webhook_deliveries'];
export type AttemptRow = Tables['webhook_attempts'];

// ---- endpoints

/** Locked for the rest of the transaction. */
export async function lockEndpoint(tx: Transaction, extensionId: ExtensionId): Promise<EndpointRow | undefined> {
  return tx.get<EndpointRow>(
    `SELECT * FROM webhook_endpoints WHERE extension_id = :extensionId${tx.dialect.forUpdate}`,
    { extensionId },
  );
}

export function findEndpoint(reader: Reader, extensionId: ExtensionId): Promise<EndpointRow | undefined> {
  return reader.get<EndpointRow>('SELECT * FROM webhook_endpoints WHERE extension_id = :extensionId', { extensionId });
}

/** An extension with the position of its endpoint. */
export type ServedExtension = ExtensionRow & Pick<EndpointRow, 'position'>;

/** The extension, if something may be delivered for it now, by this process, which holds the lease of its endpoint. */
export function findServed(
  reader: Reader,
  extensionId: ExtensionId,
  holder: string,
): Promise<ServedExtension | undefined> {
  return reader.get<ServedExtension>(
    `SELECT e.*, w.position
     FROM webhook_endpoints w JOIN extensions e ON e.id = w.extension_id LEFT JOIN companies c ON c.id = e.company_id
     WHERE w.extension_id = :extensionId AND w.lease_holder = :holder AND w.disabled_at IS NULL
       AND e.mode = 'webhooks' AND e.deleted_at IS NULL AND COALESCE(c.active, 1) = 1`,
    { extensionId, holder },
  );
}

/** Begins at this position; an existing endpoint stays as it is. */
export async function addEndpoint(tx: Transaction, extensionId: ExtensionId, position: ChangeSequence): Promise<void> {
  await insertIfAbsent(tx, 'webhook_endpoints', {
    extension_id: extensionId,
    position,
    failing_since: null,
    last_delivered_at: null,
    disabled_at: null,
    disabled_why: null,
    lease_holder: null,
    leased_until: null,
  });
}

export async function updateEndpoint(
  tx: Transaction,
  extensionId: ExtensionId,
  change: Partial<Omit<EndpointRow, 'extension_id'>>,
): Promise<void> {
  await update(tx, 'webhook_endpoints', { extension_id: extensionId }, change);
}

/** Endpoints with something to do that this process may do: events to take up, or an attempt that is due. */
export async function endpointsWithWork(reader: Reader, holder: string, at: Instant): Promise<ExtensionId[]> {
  const { place } = await settledPosition(reader);
  const rows = await reader.all<{ extension_id: ExtensionId }>(
    `SELECT w.extension_id FROM webhook_endpoints w JOIN extensions e ON e.id = w.extension_id
     LEFT JOIN companies c ON c.id = e.company_id
     WHERE e.mode = 'webhooks' AND e.deleted_at IS NULL AND w.disabled_at IS NULL AND COALESCE(c.active, 1) = 1
       AND (w.lease_holder IS NULL OR w.lease_holder = :holder OR w.leased_until <= :at)
       AND (w.position < (SELECT max(sequence) FROM events WHERE sequence <= :place) OR EXISTS (
         SELECT 1 FROM webhook_deliveries d WHERE d.extension_id = w.extension_id AND d.state = 'pending' AND d.next_attempt_at <= :at
           AND ${inActiveCompany('d')}))`,
    { holder, at, place },
  );
  return rows.map((row) => row.extension_id);
}

/** @returns false if another process has it */
export async function leaseEndpoint(
  tx: Transaction,
  extensionId: ExtensionId,
  holder: string,
  { at, until }: { readonly at: Instant; readonly until: Instant },
): Promise<boolean> {
  return (
    (await updateWhere(
      tx,
      'webhook_endpoints',
      { lease_holder: holder, leased_until: until },
      'extension_id = :extensionId AND (lease_holder IS NULL OR lease_holder = :holder OR leased_until <= :at)',
      { extensionId, holder, at },
    )) === 1
  );
}

const noLease = { lease_holder: null, leased_until: null };

export async function releaseEndpoint(tx: Transaction, extensionId: ExtensionId, holder: string): Promise<void> {
  await update(tx, 'webhook_endpoints', { extension_id: extensionId, lease_holder: holder }, noLease);
}

/** For the only process on a database, at its start: releases the leases of the one before. */
export async function releaseEndpoints(tx: Transaction): Promise<void> {
  await updateWhere(tx, 'webhook_endpoints', noLease, 'lease_holder IS NOT NULL');
}

// ---- deliveries

/** Existing deliveries stay as they are. */
export async function insertDeliveries(
  tx: Transaction,
  extensionId: ExtensionId,
  rows: readonly Pick<DeliveryRow, 'sequence' | 'lane' | 'created_at'>[],
  at: Instant,
): Promise<void> {
  if (rows.length === 0) return;
  await insertFrom(
    tx,
    'webhook_deliveries',
    ['extension_id', 'sequence', 'lane', 'state', 'tries', 'created_at', 'next_attempt_at'],
    `SELECT :extensionId, sequence, lane, 'pending', 0, created_at, CAST(:at AS BIGINT)
     FROM ${tx.dialect.jsonRows('webhook_deliveries', ['sequence', 'lane', 'created_at'], ':rows')} r WHERE 1 = 1
     ON CONFLICT DO NOTHING`,
    { extensionId, at, rows: JSON.stringify(rows) },
  );
}

export async function updateDelivery(
  tx: Transaction,
  { extension_id, sequence }: Pick<DeliveryRow, 'extension_id' | 'sequence'>,
  change: Partial<Pick<DeliveryRow, 'state' | 'tries' | 'next_attempt_at'>>,
): Promise<void> {
  await update(tx, 'webhook_deliveries', { extension_id, sequence }, change);
}

/** Whether it is pending as it was read: it was neither given up nor started again. */
export async function isStillDue(
  tx: Transaction,
  { extension_id, sequence, tries, next_attempt_at }: DeliveryRow,
): Promise<boolean> {
  const pendingDelivery = await tx.get(
    `SELECT 1 FROM webhook_deliveries
     WHERE extension_id = :extension_id AND sequence = :sequence AND state = 'pending' AND tries = :tries
       AND next_attempt_at = :next_attempt_at`,
    { extension_id, sequence, tries, next_attempt_at },
  );
  return pendingDelivery !== undefined;
}

/** After an attempt that failed. One that was given up meanwhile stays so. */
export async function postponeDelivery(
  tx: Transaction,
  { extension_id, sequence }: Pick<DeliveryRow, 'extension_id' | 'sequence'>,
  change: Partial<Pick<DeliveryRow, 'state' | 'tries' | 'next_attempt_at'>>,
): Promise<void> {
  await update(tx, 'webhook_deliveries', { extension_id, sequence, state: 'pending' }, change);
}

/**
 * The condition that a delivery does not wait for its company to be active again. An event that is for one extension
 * alone, such as the end of a link, never waits: the app needs it.
 */
function inActiveCompany(delivery: 'd' | 'earlier'): string {
  // Mostly there is nothing to look up. If there is, then for each delivery: as a condition of its own PostgreSQL would
  // join all events.
  return `(NOT EXISTS (SELECT 1 FROM companies WHERE active = 0) OR COALESCE((SELECT c.active FROM events e JOIN companies c ON c.id = e.company_id
    WHERE e.sequence = ${delivery}.sequence AND e.extension_id IS NULL), 1) = 1)`;
}

/** The first pending delivery of the lane of `d`, which goes out before the others. */
const firstOfLane = `(SELECT earlier.sequence FROM webhook_deliveries earlier
         WHERE earlier.extension_id = d.extension_id AND earlier.state = 'pending' AND earlier.lane BETWEEN d.lane AND d.lane
           AND ${inActiveCompany('earlier')} ORDER BY earlier.lane, earlier.sequence LIMIT 1)`;

/**
 * The first pending delivery of each lane, if its attempt is due, in order of events. Deliveries of a deactivated
 * company wait and hold up none.
 */
export function dueDeliveries(
  reader: Reader,
  extensionId: ExtensionId,
  at: Instant,
  limit: number,
): Promise<DeliveryRow[]> {
  // BETWEEN, so that only the index that begins with the lane gives the order. With `=`, PostgreSQL may read all that
  // is pending for each lane, in the index by sequence.
  return reader.all<DeliveryRow>(
    `SELECT d.* FROM webhook_deliveries d
     WHERE d.extension_id = :extensionId AND d.state = 'pending' AND d.next_attempt_at <= :at
       AND d.sequence = ${firstOfLane}
     ORDER BY d.sequence LIMIT :limit`,
    { extensionId, at, limit },
  );
}

export interface DeliveryWalk {
  readonly state: DeliveryRow['state'] | undefined;
  /** Newest first: below this event. */
  readonly before: number | undefined;
  readonly limit: number;
}

const firstColumns = 'f.sequence AS first_sequence, fe.epoch AS first_epoch, f.next_attempt_at AS first_attempt_at';
const joinFirst = `LEFT JOIN webhook_deliveries f ON d.state = 'pending' AND f.extension_id = d.extension_id
       AND f.sequence < d.sequence AND f.sequence = ${firstOfLane}
     LEFT JOIN events fe ON fe.sequence = f.sequence`;

/** With the pending delivery of the same lane that goes out before it. */
export type ListedDelivery = DeliveryRow &
  Pick<Tables['events'], 'epoch' | 'type'> & {
    readonly first_sequence: number | null;
    readonly first_epoch: string | null;
    readonly first_attempt_at: Instant | null;
  };

export function listDeliveryRows(
  reader: Reader,
  extensionId: ExtensionId,
  { state, before, limit }: DeliveryWalk,
): Promise<ListedDelivery[]> {
  return reader.all<ListedDelivery>(
    `SELECT d.*, e.epoch, e.type, ${firstColumns} FROM webhook_deliveries d JOIN events e ON e.sequence = d.sequence ${joinFirst}
     WHERE d.extension_id = :extensionId ${state === undefined ? '' : 'AND d.state = :state'} ${before === undefined ? '' : 'AND d.sequence < :before'}
     ORDER BY d.sequence DESC LIMIT :limit`,
    { extensionId, ...defined({ state, before }), limit },
  );
}

export function findDelivery(
  reader: Reader,
  extensionId: ExtensionId,
  eventId: string,
): Promise<(ListedDelivery & Tables['events']) | undefined> {
  // `evt_`, epoch, place.
  const [epoch, place] = [eventId.slice(4, 12), Number.parseInt(eventId.slice(12), 16)];
  return reader.get(
    `SELECT e.*, d.*, ${firstColumns} FROM webhook_deliveries d JOIN events e ON e.sequence = d.sequence ${joinFirst}
     WHERE d.extension_id = :extensionId AND d.sequence = :place AND e.epoch = :epoch`,
    { extensionId, place, epoch },
  );
}

export async function countWaiting(reader: Reader, extensionId: ExtensionId): Promise<number> {
  return (await reader.get<{ n: number }>(
    "SELECT count(*) AS n FROM webhook_deliveries WHERE extension_id = :extensionId AND state = 'pending'",
    { extensionId },
  ))!.n;
}

/** Makes failed deliveries of events since an instant pending again. @returns their number */
export function retryFailed(tx: Transaction, extensionId: ExtensionId, since: Instant, at: Instant): Promise<number> {
  return updateWhere(
    tx,
    'webhook_deliveries',
    { state: 'pending', tries: 0, next_attempt_at: at },
    "extension_id = :extensionId AND state = 'failed' AND created_at >= :since",
    { extensionId, since },
  );
}

/** The number of deliveries that {@link retryFailed} would find. */
export async function countFailed(reader: Reader, extensionId: ExtensionId, since: Instant): Promise<number> {
  return (await reader.get<{ n: number }>(
    `SELECT count(*) AS n FROM webhook_deliveries
     WHERE extension_id = :extensionId AND state = 'failed' AND created_at >= :since`,
    { extensionId, since },
  ))!.n;
}

/** Nothing of it is sent any more. */
export function giveUpPending(tx: Transaction, extensionId: ExtensionId): Promise<number> {
  return update(
    tx,
    'webhook_deliveries',
    { extension_id: extensionId, state: 'pending' },
    { state: 'failed', next_attempt_at: null },
  );
}

// ---- attempts

/** With the next number of its delivery. */
export async function insertAttempt(
  tx: Transaction,
  extensionId: ExtensionId,
  row: Omit<AttemptRow, 'extension_id' | 'number'>,
): Promise<void> {
  const { next } = (await tx.get<{ next: number }>(
    `SELECT COALESCE(max(number), 0) + 1 AS next FROM webhook_attempts
     WHERE extension_id = :extensionId AND sequence = :sequence`,
    { extensionId, sequence: row.sequence },
  ))!;
  await insert(tx, 'webhook_attempts', { extension_id: extensionId, number: next, ...row });
}

/** Attempts for these deliveries of one extension, the newest of each first. */
export async function listAttempts(
  reader: Reader,
  extensionId: ExtensionId,
  deliveries: readonly Pick<DeliveryRow, 'sequence'>[],
): Promise<AttemptRow[]> {
  if (deliveries.length === 0) return [];
  const parameters = Object.fromEntries(deliveries.map(({ sequence }, index) => [`sequence_${index}`, sequence]));
  const placeholders = Object.keys(parameters).map((name) => `:${name}`);
  return reader.all<AttemptRow>(
    `SELECT * FROM webhook_attempts WHERE extension_id = :extensionId AND sequence IN (${placeholders.join(', ')})
     ORDER BY sequence, number DESC`,
    { extensionId, ...parameters },
  );
}

/** Deletes some deliveries of events before an instant, with their attempts. @returns the number of deliveries */
export async function deleteOldDeliveries(tx: Transaction, before: Instant, limit: number): Promise<number> {
  const keys = ['extension_id', 'sequence'];
  const oldRows = await tx.all(
    'SELECT extension_id, sequence FROM webhook_deliveries WHERE created_at < :before LIMIT :limit',
    { before, limit },
  );
  const condition = `(extension_id, sequence) IN (SELECT extension_id, sequence FROM ${tx.dialect.jsonRows('webhook_deliveries', keys, ':old')} o)`;
  const parameters = { old: JSON.stringify(oldRows) };
  await removeWhere(tx, 'webhook_attempts', condition, parameters);
  return removeWhere(tx, 'webhook_deliveries', condition, parameters);
}
