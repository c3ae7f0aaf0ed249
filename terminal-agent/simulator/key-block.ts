import type { CardKey } from './authentication.js';
import { isEqual, join, xor } from './bytes.js';
import { crc32 } from './checksums.js';

/**
 * The content of ChangeKey, once deciphered. A change of the key of the session sends the new key; a change of another
 * one sends new xor old, and a second checksum over the new key, so that a wrong idea of the old key is noticed.
 */
export interface KeyChange {
  /** Key number as sent: at PICC level its upper bits name the new key's type. */
  readonly keyNumber: number;
  readonly type: CardKey['type'];
  /** The old key if it is another one than the authenticated key. */
  readonly other?: CardKey;
}

/** Length of the enciphered part in the EV1 channel, for a block size. */
export function ev1BlockLength(change: KeyChange, blockSize: number): number {
  return Math.ceil(ev1ContentLength(change) / blockSize) * blockSize;
}

/**
 * EV1 form: key data, version (AES only), checksum over `C4 || key number || key data || version`, checksum over the
 * new key if it is another one, zero padding.
 *
 * @returns undefined if a checksum or the padding is wrong.
 */
export function readEv1KeyBlock(plain: Uint8Array, change: KeyChange): CardKey | undefined {
  const withVersion = change.type === 'aes' ? 17 : 16;
  const content = plain.subarray(0, withVersion);
  const key = newKey(content.subarray(0, 16), change);
  const sums = join(
    crc32(join([0xc4, change.keyNumber], content)),
    change.other === undefined ? [] : crc32(key),
    new Uint8Array(plain.length - ev1ContentLength(change)),
  );
  if (!isEqual(plain.subarray(withVersion), sums)) return undefined;
  return { type: change.type, key, version: change.type === 'aes' ? plain[16]! : parityVersion(key) };
}

/**
 * EV2 form: key data, version, checksum over the new key if it is another one. No checksum over the command: the MAC
 * covers it.
 */
export function readEv2KeyBlock(content: Uint8Array, change: KeyChange): CardKey | undefined {
  if (content.length !== (change.other === undefined ? 17 : 21)) return undefined;
  const key = newKey(content.subarray(0, 16), change);
  if (change.other !== undefined && !isEqual(content.subarray(17), crc32(key))) return undefined;
  return { type: 'aes', key, version: content[16]! };
}

function ev1ContentLength(change: KeyChange): number {
  return 16 + (change.type === 'aes' ? 1 : 0) + 4 + (change.other === undefined ? 0 : 4);
}

function newKey(bytes: Uint8Array, change: KeyChange): Uint8Array {
  return change.other === undefined ? bytes.slice() : xor(bytes, change.other.key);
}

/** DES keys carry their version in the parity bits of the first eight bytes, the highest bit first. */
function parityVersion(key: Uint8Array): number {
  return key.subarray(0, 8).reduce((version, byte) => (version << 1) | (byte & 1), 0);
}
