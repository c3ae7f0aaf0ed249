/** CMAC (NIST SP 800-38B, RFC 4493 for AES-128). */
import type { BlockCipher } from './block-cipher.js';
import { octets, padWithBit, xor, zeros } from './octets.js';

/** @returns L, the encrypted zero block, and the two subkeys derived from it. */
export function cmacSubkeys(cipher: BlockCipher, key: Uint8Array): { l: Uint8Array; k1: Uint8Array; k2: Uint8Array } {
  const zero = zeros(cipher.blockSize);
  const l = cipher.encrypt(key, zero, zero);
  const k1 = double(l, cipher.subkeyConstant);
  return { l, k1, k2: double(k1, cipher.subkeyConstant) };
}

/**
 * @param iv start of the chain. Zero in the standard; in the EV1 channel of DESFire, every CMAC starts where the last
 * cryptographic operation ended.
 * @returns one whole block.
 */
export function cmac(
  cipher: BlockCipher,
  key: Uint8Array,
  message: Uint8Array,
  iv: Uint8Array = zeros(cipher.blockSize),
): Uint8Array {
  const { k1, k2 } = cmacSubkeys(cipher, key);
  const size = cipher.blockSize;
  const isComplete = message.length > 0 && message.length % size === 0;
  const padded = isComplete ? message : padWithBit(message, size);
  const last = padded.length - size;
  const chained = cipher.encrypt(
    key,
    iv,
    octets(padded.subarray(0, last), xor(padded.subarray(last), isComplete ? k1 : k2)),
  );
  return chained.subarray(last);
}

/** Multiplication by x in GF(2^n): one bit to the left, and the constant where a bit fell out. */
function double(block: Uint8Array, constant: number): Uint8Array {
  const doubled = block.map((byte, index) => (byte << 1) | ((block[index + 1] ?? 0) >> 7));
  if (block[0]! & 0x80) doubled[doubled.length - 1]! ^= constant;
  return doubled;
}
