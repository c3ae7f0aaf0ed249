/**
 * Ed25519 (RFC 8032 §5.1), strict. OpenSSL accepts public keys and signatures with points of small order, for which a
 * forged signature is valid for many or all messages, and y coordinates beyond the prime. Both are refused here, in the
 * key and in R, as in libsodium. S < L is checked too.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { Point } from '@noble/ed25519';

const p = 2n ** 255n - 19n;
const l = 2n ** 252n + 27742317777372353535851937790883648493n;
/** y of the points whose order divides 8, least significant byte first; each represents itself and its negative. */
const smallOrderY: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  p - 1n,
  littleEndian(Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex')),
  littleEndian(Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex')),
]);

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

/** Small order, or y not below the prime: encodings that an honestly generated key never has. */
function isWeakPoint(bytes: Uint8Array): boolean {
  const y = littleEndian(bytes) & (2n ** 255n - 1n);
  return y >= p || smallOrderY.has(y);
}

/** Whether 32 bytes may be registered as a terminal's key: on the curve, canonical, not of small order. */
export function isAcceptablePublicKey(key: Uint8Array): boolean {
  if (key.length !== 32 || isWeakPoint(key)) return false;
  try {
    Point.fromBytes(key, false);
    return true;
  } catch {
    return false;
  }
}

/** RFC 8410: the DER wrapping of a raw Ed25519 key. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');

const keys = new Map<string, KeyObject>();

function keyObject(key: Uint8Array): KeyObject {
  const name = Buffer.from(key).toString('base64');
  let keyObject = keys.get(name);
  if (keyObject === undefined) {
    if (keys.size > 10_000) keys.clear();
    keyObject = createPublicKey({ key: Buffer.concat([derPrefix, key]), format: 'der', type: 'spki' });
    keys.set(name, keyObject);
  }
  return keyObject;
}

/** @param signature 64 bytes; any other length is invalid */
export function verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  const strict =
    !isWeakPoint(signature.subarray(0, 32)) && littleEndian(signature.subarray(32)) < l && !isWeakPoint(key);
  // Always verified, so that every refusal takes the same time.
  return verify(null, message, keyObject(key), signature) && strict;
}
