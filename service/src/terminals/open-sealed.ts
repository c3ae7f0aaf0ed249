/**
 * HPKE (RFC 9180), the receiving side: base mode, single shot, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM.
 * Comments name the sections.
 */
import {
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
} from 'node:crypto';

const encBytes = 32;
const tagBytes = 16;
const emptyBytes = Buffer.alloc(0);
const version = Buffer.from('HPKE-v1');
/** `KEM` 0x0020 (4.1), and `HPKE` with KEM, KDF and AEAD (5.1). */
const kemSuite = Buffer.from('4b454d0020', 'hex');
const suite = Buffer.from('48504b45002000010001', 'hex');
/** DER up to the 32 bytes of an X25519 key (RFC 8410). */
const privatePrefix = Buffer.from('302e020100300506032b656e04220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b656e032100', 'hex');

/** @param privateKey 32 bytes */
export function x25519PrivateKey(privateKey: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privatePrefix, privateKey]), format: 'der', type: 'pkcs8' });
}

/** @returns 32 bytes */
export function x25519PublicBytes(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
}

/**
 * @param sealed `enc` (32 bytes), ciphertext and tag
 * @returns undefined if it was sealed to another key, with other `info` or `aad`, or was altered
 */
export function openSealed(
  privateKey: KeyObject,
  { info, aad }: { readonly info: Uint8Array; readonly aad: Uint8Array },
  sealed: Uint8Array,
): Buffer | undefined {
  if (sealed.length < encBytes + tagBytes) return undefined;
  try {
    const enc = sealed.subarray(0, encBytes);
    const publicKey = createPublicKey({ key: Buffer.concat([publicPrefix, enc]), format: 'der', type: 'spki' });
    // 4.1, decapsulation. A key of small order makes the agreement fail.
    const dh = diffieHellman({ privateKey, publicKey });
    const context = Buffer.concat([enc, x25519PublicBytes(privateKey)]);
    const sharedSecret = expand(extract(emptyBytes, 'eae_prk', dh, kemSuite), 'shared_secret', context, 32, kemSuite);
    // 5.1 KeySchedule, mode_base, without a pre-shared key.
    const schedule = Buffer.concat([
      Buffer.of(0),
      extract(emptyBytes, 'psk_id_hash', emptyBytes, suite),
      extract(emptyBytes, 'info_hash', info, suite),
    ]);
    const secret = extract(sharedSecret, 'secret', emptyBytes, suite);
    const decipher = createDecipheriv(
      'aes-128-gcm',
      expand(secret, 'key', schedule, 16, suite),
      expand(secret, 'base_nonce', schedule, 12, suite),
    );
    decipher.setAAD(aad);
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(encBytes, sealed.length - tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** 4 LabeledExtract. */
function extract(salt: Uint8Array, label: string, material: Uint8Array, suiteId: Uint8Array): Buffer {
  return hmac(salt, [version, suiteId, Buffer.from(label), material]);
}

/** 4 LabeledExpand, for one block at most. */
function expand(key: Uint8Array, label: string, info: Uint8Array, length: number, suiteId: Uint8Array): Buffer {
  return hmac(key, [Buffer.of(0, length), version, suiteId, Buffer.from(label), info, Buffer.of(1)]).subarray(
    0,
    length,
  );
}

const hmac = (key: Uint8Array, parts: readonly Uint8Array[]) =>
  createHmac('sha256', key).update(Buffer.concat(parts)).digest();
