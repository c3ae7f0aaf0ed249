/** The position of the event feed. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Reader } from '@clockproof/platform/database/database';
import { type Position, positionText, settledPosition } from '../src/store/position.js';

export const settledPlace = async (reader: Reader): Promise<number> => (await settledPosition(reader)).place;

/** A position in the form of clients. */
export const feedPositionOf = (position: Position): string => `evt_${positionText(position)}`;
export const feedPosition = async (reader: Reader): Promise<string> => feedPositionOf(await settledPosition(reader));

/** Waits until every event is settled. On PostgreSQL any earlier write delays it, such as the last use of a key. */
export async function untilSettled(reader: Reader): Promise<void> {
  for (let looks = 0; looks < 1_000; looks++) {
    const { newest } = (await reader.get<{ newest: number | null }>('SELECT max(sequence) AS newest FROM events'))!;
    if ((newest ?? 0) <= (await settledPlace(reader))) return;
    await pause(10);
  }
  throw new Error('a transaction is held open');
}
