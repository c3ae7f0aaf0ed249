/** Open connections of every process, and the rights of their keys. */
import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { Tables } from '../../generated/tables.js';
import type { ExtensionId, KeyId } from '../../store/ids.js';
import { insert, remove, removeSome, type Transaction, updateWhere } from '../../store/tables.js';
import type { ExtensionRow } from '../rows.js';

type ConnectionRow = Tables['socket_connections'];

/** A process that says nothing for so long is gone, and its connections with it. */
const silentFor = 2 * minute;

/** Adds a connection, unless its key has as many as it may have. @returns whether it did */
export async function addConnection(tx: Transaction, row: ConnectionRow, max: number): Promise<boolean> {
  const { key_id: key, opened_at: at } = row;
  // Two connections of a key at once: one after the other.
  await tx.get(`SELECT id FROM api_keys WHERE id = :key${tx.dialect.forUpdate}`, { key });
  const livingRows = await tx.all('SELECT id FROM socket_connections WHERE key_id = :key AND seen_at >= :living', {
    key,
    living: at - silentFor,
  });
  if (livingRows.length >= max) return false;
  await insert(tx, 'socket_connections', row);
  return true;
}

export async function removeConnection(tx: Transaction, id: string): Promise<void> {
  await remove(tx, 'socket_connections', { id });
}

export async function removeConnectionsOf(tx: Transaction, process: string): Promise<void> {
  await remove(tx, 'socket_connections', { process });
}

/** The process and its connections live. */
export async function noteLiving(tx: Transaction, process: string, at: Instant): Promise<void> {
  await updateWhere(tx, 'socket_connections', { seen_at: at }, 'process = :process AND seen_at < :at', { process, at });
}

/** Open connections of an extension in every process, oldest first. */
export function listConnectionRows(
  reader: Reader,
  extensionId: ExtensionId,
  at: Instant,
  limit: number,
): Promise<ConnectionRow[]> {
  return reader.all<ConnectionRow>(
    `SELECT * FROM socket_connections WHERE extension_id = :extensionId AND seen_at >= :living
     ORDER BY opened_at, id LIMIT :limit`,
    { extensionId, living: at - silentFor, limit },
  );
}

/** Connections of processes that are gone. */
export function purgeConnections(tx: Transaction, at: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'socket_connections', ['id'], 'seen_at < :before', { before: at - silentFor, limit });
}

/** A key of an open connection, with its extension as it is now. */
export type ConnectedKey = ExtensionRow & {
  readonly key_id: KeyId;
  readonly revoked_at: Instant | null;
  readonly expires_at: Instant | null;
  readonly company_active: 0 | 1;
};

export function connectedKeys(reader: Reader, process: string): Promise<ConnectedKey[]> {
  return reader.all<ConnectedKey>(
    `SELECT e.*, k.id AS key_id, k.revoked_at, k.expires_at, COALESCE(c.active, 1) AS company_active
     FROM api_keys k JOIN extensions e ON e.id = k.extension_id LEFT JOIN companies c ON c.id = e.company_id
     WHERE k.id IN (SELECT key_id FROM socket_connections WHERE process = :process)`,
    { process },
  );
}
