/** Where the event feed stands. */
import type { Reader } from '@clockproof/platform/database/database';
import { type Position, positionText, settledPosition } from '../src/store/position.js';

export const settledPlace = async (reader: Reader): Promise<number> => (await settledPosition(reader)).place;

/** A position as clients send it back. */
export const feedPositionOf = (position: Position): string => `evt_${positionText(position)}`;
export const feedPosition = async (reader: Reader): Promise<string> => feedPositionOf(await settledPosition(reader));
