/**
 * An SQLite file that replaces a newer one cannot know that it was set back. A note beside it can: the newest position
 * that readers know. On PostgreSQL the server's timeline shows it (`position.ts`).
 */
import { realpathSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Database, Reader } from '@clockproof/platform/database/database';
import type { DatabaseSettings } from '@clockproof/platform/database/open';
import { formatInstant } from '@clockproof/platform/time/instant';
import { beginEpoch, listEntriesBeforeEpochs, placeOf, positionText, settledPosition } from './position.js';
import { Refusal } from './refusal.js';

/** The note beside an SQLite file that exists; none on PostgreSQL. */
export function positionNoteOf({ driver, dsn }: DatabaseSettings): string | undefined {
  return driver === 'sqlite' ? `${realpathSync(dsn)}-position` : undefined;
}

/**
 * Whether the file beside the database notes a position that is not of its history.
 * @param note the file; one that is absent or cannot be read says nothing
 */
export async function isSetBack(reader: Reader, note: string | undefined): Promise<boolean> {
  const noteText = note === undefined ? '' : await readFile(note, 'utf8').catch(() => '');
  if (!/^[0-9a-f]{22}$/.test(noteText)) return false;
  try {
    await placeOf(reader, noteText, await settledPosition(reader));
    return false;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return true;
  }
}

/** The sentence for the operator. */
export const setBackSentence =
  'the database file was set back: changes that this service acknowledged are missing from it. That is right after a restore; otherwise the file was copied without its -wal, or an older one was put in its place';

const reason = 'the file was set back';

/** Begins a new epoch if {@link isSetBack}. @returns whether it was */
export async function noticeSetBack(db: Database, note: string): Promise<boolean> {
  const isOlder = await isSetBack(db, note);
  if (isOlder) await db.write((tx) => beginEpoch(tx, reason));
  return isOlder;
}

/** The rest of the history after each set-back, as sentences, the oldest first. */
export async function describeSetBacks(reader: Reader): Promise<string[]> {
  const lastEntries = await listEntriesBeforeEpochs(reader, reason);
  return lastEntries.map(({ sequence, at }) =>
    sequence === 0
      ? 'the file was set back to an empty one'
      : `the file was set back: changes after entry ${sequence} of ${formatInstant(at)} were lost`,
  );
}

/** @returns a function that notes the settled position if it has moved */
export function positionNote(db: Database, note: string): () => Promise<void> {
  let last = '';
  return async () => {
    const position = positionText(await settledPosition(db));
    if (position === last) return;
    // If the process stops here, the earlier note remains: an empty one would say nothing.
    await writeFile(`${note}.new`, position, { mode: 0o600 });
    await rename(`${note}.new`, note);
    last = position;
  };
}
