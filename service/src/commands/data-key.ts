/** `data-key rotate`: exchanges `DATA_KEY`. */
import { randomBytes } from 'node:crypto';
import { configurationExitCode } from '@clockproof/platform/config/config';
import type { Database } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { signWith } from '../store/sealing/data-key.js';
import { belongsTo, readDataKey, rotateDataKey } from '../store/sealing/data-keys.js';
import { createStore } from '../store/write.js';

export interface RotationKeys {
  readonly DATA_KEY: Uint8Array | undefined;
  readonly NEW_DATA_KEY: Uint8Array | undefined;
}

/**
 * @returns exit code 78 if a key is missing or not a new one. @throws {WrongDataKey} `DATA_KEY` is not the key of this
 * database
 */
export async function runRotate(
  database: Database,
  { DATA_KEY: from, NEW_DATA_KEY: to }: RotationKeys,
  at: Instant,
): Promise<{ readonly exitCode: 0 | 1 | typeof configurationExitCode; readonly text: string }> {
  if (from === undefined || to === undefined)
    return { exitCode: configurationExitCode, text: 'set DATA_KEY to the present key and NEW_DATA_KEY to the new one' };
  if (Buffer.from(from).equals(to))
    return { exitCode: configurationExitCode, text: 'NEW_DATA_KEY is the present key; choose another one' };
  if ((await belongsTo(database, to, randomBytes)) === 'this') return { exitCode: 0, text: `nothing to do: ${result}` };
  const keys = await readDataKey(database, from, randomBytes);
  if (keys === undefined)
    return { exitCode: 1, text: 'this database has no key yet: start the service with the one it is to have' };
  await createStore(database, { sign: signWith(keys) }).write({ actor: { kind: 'system' }, at }, (write) =>
    rotateDataKey(write, { from, to }, randomBytes),
  );
  return { exitCode: 0, text: `done: ${result}` };
}

const result =
  'this database is sealed with NEW_DATA_KEY. Running processes continue; from now on, start each with it as DATA_KEY.';
