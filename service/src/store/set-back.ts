/**
 * An SQLite file that somebody puts in the place of a newer one cannot know that it was set back. A note beside it can: the
 * newest position that readers were told. On PostgreSQL the server's timeline says it (`position.ts`).
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Database } from '@clockproof/platform/database/database';
import { beginEpoch, placeOf, positionText, settledPosition } from './position.js';
import { Refusal } from './refusal.js';

/**
 * Begins a new epoch if the file beside the database notes a position that is not of its history.
 * @param note the file; one that is absent or cannot be read says nothing
 */
export async function noticeSetBack(db: Database, note: string): Promise<void> {
  const noted = await readFile(note, 'utf8').catch(() => '');
  if (!/^[0-9a-f]{22}$/.test(noted)) return;
  try {
    await placeOf(db, noted, await settledPosition(db));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await db.write((tx) => beginEpoch(tx, 'the file was set back'));
  }
}

/** @returns notes the settled position where it has moved */
export function positionNote(db: Database, note: string): () => Promise<void> {
  let last = '';
  return async () => {
    const settled = positionText(await settledPosition(db));
    if (settled === last) return;
    await writeFile(note, settled, { mode: 0o600 });
    last = settled;
  };
}
