/** The position of the event feed. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Reader } from '@clockproof/platform/database/database';
import { type Position, positionText, settledPosition } from '../src/store/position.js';

export const settledPlace = async (reader: Reader): Promise<number> => (await settledPosition(reader)).place;

/** A position in the form of clients. */
export const feedPositionOf = (position: Position): string => `evt_${positionText(position)}`;
export const feedPosition = async (reader: Reader): Promise<string> => feedPositionOf(await settledPosition(reader));

/**
 * Waits until every event is settled. On PostgreSQL any transaction of the server delays it: a note of a key's last
 * use, or one of another test's database.
 */
export async function untilSettled(reader: Reader): Promise<void> {
  for (let looks = 0; looks < 1_000; looks++) {
    const { newest } = (await reader.get<{ newest: number | null }>('SELECT max(sequence) AS newest FROM events'))!;
    if ((newest ?? 0) <= (await settledPlace(reader))) return;
    await pause(10);
  }
  throw new Error('a transaction is held open');
}

/**
 * True if a pass has left events. A transaction of another database that ends just then counts as one of this database
 * (`horizon()`), and events after it wait: in production for a quarter of a second.
 */
export async function leavesEvents(reader: Reader): Promise<boolean> {
  const endpoint = await reader.get(
    `SELECT 1 AS one FROM webhook_endpoints w JOIN extensions e ON e.id = w.extension_id
     WHERE w.disabled_at IS NULL AND w.lease_holder IS NULL AND e.mode = 'webhooks'
       AND w.position < (SELECT max(sequence) FROM events)`,
  );
  return endpoint !== undefined;
}
