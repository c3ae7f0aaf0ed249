/**
 * Keys of single cards from the key of a company, after NXP AN10922 §2.2 (AES-128).
 *
 * The badge key is bound to the card (UID), to the application and to the key number: no card's key opens another card,
 * another application or another role.
 */
import { aes128 } from './block-cipher.js';
import { cmacSubkeys } from './cmac.js';
import { octets, padWithBit, xor, zeros } from './octets.js';

/** Separates these keys from any other use of the same company card key. */
const systemIdentifier = Buffer.from('TIMEBADGE', 'ascii');

/** The application note diversifies over exactly this many bytes, with or without padding. */
const inputLength = 32;

export interface KeyPlace {
  /** 7 bytes. */
  readonly uid: Uint8Array;
  /** Application identifier as transmitted: 3 bytes for DESFire, 7 bytes for NTAG 424 DNA. */
  readonly aid: Uint8Array;
  readonly keyNumber: number;
}

/** @param companyCardKey 16 bytes. */
export function badgeKey(companyCardKey: Uint8Array, { uid, aid, keyNumber }: KeyPlace): Uint8Array {
  if (uid.length !== 7) throw new RangeError('keys are diversified over a UID of 7 bytes');
  return diversifyAes128(companyCardKey, octets(uid, aid, [keyNumber], systemIdentifier));
}

/**
 * CBC-MAC over 01 || M, the last block masked with a CMAC subkey. M is always padded to 32 bytes. If M is shorter than
 * 16 bytes, this differs from the CMAC of RFC 4493, which pads to 16.
 *
 * @param m 1 to 31 bytes.
 * @returns 16 bytes.
 */
export function diversifyAes128(key: Uint8Array, m: Uint8Array): Uint8Array {
  if (m.length < 1 || m.length > inputLength - 1)
    throw new RangeError('AN10922 takes 1 to 31 bytes of diversification input');
  const { k1, k2 } = cmacSubkeys(aes128, key);
  const input = octets([0x01], m);
  const isComplete = input.length === inputLength;
  const padded = isComplete ? input : padWithBit(input, inputLength);
  const masked = octets(padded.subarray(0, 16), xor(padded.subarray(16), isComplete ? k1 : k2));
  return aes128.encrypt(key, zeros(16), masked).subarray(16);
}
