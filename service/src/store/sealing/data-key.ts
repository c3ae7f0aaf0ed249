/**
 * Sealing (AES-256-GCM) and keyed hashes (HMAC-SHA-256), with a separate key for each purpose (HKDF-SHA-256, RFC 5869).
 * A sealed value is bound to associated data (AAD) that names its kind and place: copied to another company or row, it
 * cannot be opened.
 */

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Sign } from '../audit/audit.js';

export interface DataKey {
  /**
   * `01` version, 12-byte nonce, ciphertext, 16-byte tag. @param associatedData kind and place of the value, such as
   * `company card key 3 1`
   */
  seal(associatedData: string, plain: Uint8Array): Uint8Array;
  /** @throws Error wrong key, wrong associated data, or altered */
  open(associatedData: string, sealedBytes: Uint8Array): Uint8Array;
  /** 32 bytes as lower-case hex; the same value gives the same hash, and values cannot be guessed without the key. */
  hash(purpose: string, value: Uint8Array | string): string;
}

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** The sources of every key; 32 bytes each. */
export interface RootKeys {
  /** Source of the keys of sealed values. */
  readonly secrets: Uint8Array;
  /** Source of the keys of hashes: they cannot be made again, because the hashed values are not stored. */
  readonly hashes: Uint8Array;
}

/** Keys from one secret of 32 bytes. */
export function createDataKey(secret: Uint8Array, randomBytes: RandomBytes): DataKey {
  // RFC 5869 §2.2, without a salt.
  const root = createHmac('sha256', Buffer.alloc(32)).update(secret).digest();
  return createDataKeyOf({ secrets: root, hashes: root }, randomBytes);
}

export function createDataKeyOf({ secrets, hashes }: RootKeys, randomBytes: RandomBytes): DataKey {
  // RFC 5869 §2.3, one block.
  const derive = (root: Uint8Array, purpose: string) =>
    createHmac('sha256', root).update(`clockproof ${purpose}`).update(Buffer.of(1)).digest();
  const sealingSecret = derive(secrets, 'sealing');
  const keys = new Map<string, Buffer>();
  const keyFor = (purpose: string) => {
    let key = keys.get(purpose);
    if (key === undefined) {
      key = derive(hashes, `hash ${purpose}`);
      keys.set(purpose, key);
    }
    return key;
  };
  return {
    seal(associatedData, plaintext) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingSecret, nonce).setAAD(Buffer.from(associatedData));
      return Buffer.concat([Buffer.of(version), nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    },
    open(associatedData, sealedBytes) {
      if (sealedBytes[0] !== version || sealedBytes.length < 1 + nonceBytes + tagBytes)
        throw new Error(`sealed with an unknown version: ${associatedData}`);
      const decipher = createDecipheriv('aes-256-gcm', sealingSecret, sealedBytes.subarray(1, 1 + nonceBytes)).setAAD(
        Buffer.from(associatedData),
      );
      decipher.setAuthTag(sealedBytes.subarray(sealedBytes.length - tagBytes));
      return Buffer.concat([
        decipher.update(sealedBytes.subarray(1 + nonceBytes, sealedBytes.length - tagBytes)),
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
