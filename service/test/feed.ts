/** Where the event feed stands. */
import type { Reader } from '@clockproof/platform/database/database';
import { type Position, positionText, settledPosition } from '../src/store/position.js';

export const settledPlace = async (reader: Reader): Promise<number> => (await settledPosition(reader)).place;

/** A position as clients send it back. */
export const feedPositionOf = (position: Position): string => `evt_${positionText(position)}`;
export const feedPosition = async (reader: Reader): Promise<string> => feedPositionOf(await settledPosition(reader));

/**
 * Waits until every event is settled: transactions beside them, such as the note of a key's last use, end soon. A test
 * that holds one open goes on after some looks.
 */
export async function untilSettled(reader: Reader): Promise<void> {
  for (let looks = 0; looks < 200; looks++) {
    const { newest } = (await reader.get<{ newest: number | null }>('SELECT max(sequence) AS newest FROM events'))!;
    if ((newest ?? 0) <= (await settledPlace(reader))) return;
  }
}
