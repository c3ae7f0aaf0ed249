/**
 * The keys of a database: random, made at the first start with `DATA_KEY`, and stored sealed with it. So `DATA_KEY` can
 * be exchanged without touching anything that these keys seal or hash: badges, PINs and second factors stay as they
 * are.
 */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { insertIfAbsent, removeWhere, type Transaction, update } from '../tables.js';
import type { Store, Write } from '../write.js';
import { createDataKey, createDataKeyOf, type DataKey, type RootKeys } from './data-key.js';

/** DATA_KEY is not the key of this database, or is missing: nothing is sealed or opened. */
export class WrongDataKey extends Error {
  override readonly name = 'WrongDataKey';
}

const names = ['secrets', 'hashes'] as const;
const keyBytes = 32;
const associatedData = (name: string) => `data key ${name}`;

/**
 * Makes the keys of a database at the first start with a `DATA_KEY`. Of several processes, one makes them.
 * @returns undefined if this database never had a `DATA_KEY` and has none now
 * @throws {WrongDataKey} another key, or none although the database has one
 */
export async function openDataKey(
  db: Store,
  dataKey: Uint8Array | undefined,
  randomBytes: RandomBytes,
  at: Instant,
): Promise<DataKey | undefined> {
  const key = await readDataKey(db, dataKey, randomBytes);
  if (key !== undefined || dataKey === undefined) return key;
  const { sealed } = makeKeys(dataKey, randomBytes);
  await db.runMaintenance('installation', (tx) => insertKeys(tx, sealed, at));
  return readDataKey(db, dataKey, randomBytes);
}

/**
 * For commands, which make nothing.
 * @returns undefined if this database has no keys yet
 * @throws {WrongDataKey} another key, or none although the database has one
 */
export async function readDataKey(
  reader: Reader,
  dataKey: Uint8Array | undefined,
  randomBytes: RandomBytes,
): Promise<DataKey | undefined> {
  const rows = await listKeys(reader);
  if (dataKey === undefined) {
    if (rows.length === 0) return undefined;
    throw new WrongDataKey(
      'DATA_KEY is not set, and this database is sealed with one; set the key it was created with',
    );
  }
  if (rows.length === 0) return undefined;
  return createDataKeyOf(openKeys(createDataKey(dataKey, randomBytes), rows), randomBytes);
}

interface KeyRow {
  readonly name: string;
  readonly sealed: Uint8Array;
}

const listKeys = (reader: Reader) => reader.all<KeyRow>('SELECT name, sealed FROM data_keys');

/** @throws {WrongDataKey} */
function openKeys(sealedWith: DataKey, rows: readonly KeyRow[]): RootKeys {
  const openKey = (name: (typeof names)[number]) => {
    try {
      return sealedWith.open(associatedData(name), rows.find((row) => row.name === name)!.sealed);
    } catch {
      throw new WrongDataKey('DATA_KEY is not the key that this database was sealed with');
    }
  };
  return { secrets: openKey('secrets'), hashes: openKey('hashes') };
}

type SealedKeys = Readonly<Record<(typeof names)[number], Uint8Array>>;

const seal = (sealWith: DataKey, keys: RootKeys): SealedKeys => ({
  secrets: sealWith.seal(associatedData('secrets'), keys.secrets),
  hashes: sealWith.seal(associatedData('hashes'), keys.hashes),
});

async function insertKeys(tx: Transaction, keys: SealedKeys, at: Instant): Promise<void> {
  for (const name of names) await insertIfAbsent(tx, 'data_keys', { name, sealed: keys[name], created_at: at });
}

/** Keys that no database has yet. */
export interface NewKeys {
  readonly dataKey: DataKey;
  readonly sealed: SealedKeys;
}

/** @param dataKey the `DATA_KEY` that seals them */
export function makeKeys(dataKey: Uint8Array, randomBytes: RandomBytes): NewKeys {
  const keys = { secrets: randomBytes(keyBytes), hashes: randomBytes(keyBytes) };
  return {
    dataKey: createDataKeyOf(keys, randomBytes),
    sealed: seal(createDataKey(dataKey, randomBytes), keys),
  };
}

/** From here on these are the keys of the database. Values sealed with other keys can no longer be opened. */
export async function takeKeys(tx: Transaction, { sealed }: NewKeys, at: Instant): Promise<void> {
  await removeWhere(tx, 'data_keys', '1 = 1');
  await insertKeys(tx, sealed, at);
}

/** The `DATA_KEY` with which the keys of the database are sealed: this one, another one, or none yet. */
export async function belongsTo(
  reader: Reader,
  dataKey: Uint8Array,
  randomBytes: RandomBytes,
): Promise<'this' | 'another' | 'none'> {
  try {
    return (await readDataKey(reader, dataKey, randomBytes)) === undefined ? 'none' : 'this';
  } catch (error) {
    if (error instanceof WrongDataKey) return 'another';
    throw error;
  }
}

export interface Rotation {
  /** 32 bytes each. */
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/**
 * Seals the keys of this database with another `DATA_KEY`. Nothing else changes, so processes that run go on; each
 * needs the new key at its next start. If the process dies, one of both keys is the right one, and the rotation can be
 * repeated.
 * @returns `already` if they are sealed with the new key
 * @throws {WrongDataKey} `from` is not the key of this database
 */
export async function rotateDataKey(
  write: Write,
  { from, to }: Rotation,
  randomBytes: RandomBytes,
): Promise<'rotated' | 'already'> {
  const [oldKey, newKey] = [createDataKey(from, randomBytes), createDataKey(to, randomBytes)];
  // Locked: of two rotations at once, the second finds the result of the first.
  const rows = await write.all<KeyRow>(`SELECT name, sealed FROM data_keys${write.dialect.forUpdate}`);
  if (isSealedWith(newKey, rows)) {
    write.unaudited('repeated');
    return 'already';
  }
  const sealedKeys = seal(newKey, openKeys(oldKey, rows));
  for (const name of names) await update(write, 'data_keys', { name }, { sealed: sealedKeys[name] });
  await write.audit({ action: 'data_key.rotated', subject: 'installation' });
  return 'rotated';
}

function isSealedWith(dataKey: DataKey, rows: readonly KeyRow[]): boolean {
  try {
    openKeys(dataKey, rows);
    return true;
  } catch {
    return false;
  }
}
