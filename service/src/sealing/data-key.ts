/**
 * What `DATA_KEY` is used for: sealing (AES-256-GCM) and keyed hashes (HMAC-SHA-256), with a separate key for each
 * purpose (HKDF-SHA-256). A sealed value is bound to associated data (AAD) that says what it is and where it is
 * stored: copied to another company or row, it cannot be opened.
 */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Sign } from '../audit/audit.js';
import { update } from '../tables.js';
import type { Store } from '../write/write.js';

export interface DataKey {
  /**
   * `01` version, 12-byte nonce, ciphertext, 16-byte tag. @param associatedData what the value is and where it
   * is stored, such as `company card key 3 1`
   */
  seal(associatedData: string, plain: Uint8Array): Uint8Array;
  /** @throws Error wrong key, wrong associated data, or altered */
  open(associatedData: string, sealed: Uint8Array): Uint8Array;
  /** 32 bytes as lower-case hex; the same value gives the same hash, and values cannot be guessed without the key. */
  hash(purpose: string, value: Uint8Array | string): string;
}

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** @param dataKey 32 bytes */
export function createDataKey(dataKey: Uint8Array, randomBytes: RandomBytes): DataKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', dataKey, '', `clockproof ${purpose}`, 32));
  const sealing = derive('sealing');
  const keys = new Map<string, Buffer>();
  const keyFor = (purpose: string) => {
    let key = keys.get(purpose);
    if (key === undefined) {
      key = derive(`hash ${purpose}`);
      keys.set(purpose, key);
    }
    return key;
  };
  return {
    seal(associatedData, plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(associatedData));
      return Buffer.concat([Buffer.of(version), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(associatedData, sealed) {
      if (sealed[0] !== version || sealed.length < 1 + nonceBytes + tagBytes)
        throw new Error(`sealed with an unknown version: ${associatedData}`);
      const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(1, 1 + nonceBytes)).setAAD(
        Buffer.from(associatedData),
      );
      decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
      return Buffer.concat([
        decipher.update(sealed.subarray(1 + nonceBytes, sealed.length - tagBytes)),
        decipher.final(),
      ]);
    },
    hash: (purpose, value) => createHmac('sha256', keyFor(purpose)).update(value).digest('hex'),
  };
}

/** Signs entries and heads of the audit log. */
export function signWith(dataKey: DataKey): Sign {
  return (text) => dataKey.hash('audit log', text);
}

/** DATA_KEY is not the key of this database, or is missing: nothing is sealed or opened. */
export class WrongDataKey extends Error {
  override readonly name = 'WrongDataKey';
}

/**
 * Remembers at first use which key this database belongs to. A database that never had a key needs none.
 * @throws {WrongDataKey} another key, or none although the database has one
 */
export async function checkDataKey(db: Store, dataKey: DataKey | undefined): Promise<void> {
  const value = dataKey && checkValue(dataKey);
  if (value !== undefined)
    await db.maintain('installation', (tx) =>
      tx.run('INSERT INTO data_key_check (one, value) VALUES (1, :value) ON CONFLICT DO NOTHING', { value }),
    );
  const known = await db.get<{ value: string }>('SELECT value FROM data_key_check WHERE one = 1');
  if (known?.value === value) return;
  throw new WrongDataKey(
    value === undefined
      ? 'DATA_KEY is not set, and this database is sealed with one; set the key it was created with'
      : 'DATA_KEY is not the key that this database was sealed with',
  );
}

const checkValue = (dataKey: DataKey) => dataKey.hash('key check', 'clockproof');

/** Which key the database belongs to: this one, another one, or none yet. */
export async function belongsTo(reader: Reader, dataKey: DataKey): Promise<'this' | 'another' | 'none'> {
  const known = await reader.get<{ value: string }>('SELECT value FROM data_key_check WHERE one = 1');
  return known === undefined ? 'none' : known.value === checkValue(dataKey) ? 'this' : 'another';
}

/** From here on the database belongs to this key. What another one has sealed cannot be opened any more. */
export async function takeDataKey(tx: Transaction, dataKey: DataKey): Promise<void> {
  await update(tx, 'data_key_check', { one: 1 }, { value: checkValue(dataKey) });
}
