/** Byte string operations of the card protocols. */
import { timingSafeEqual } from 'node:crypto';

export const zeros = (length: number): Uint8Array => new Uint8Array(length);

export const octets = (...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (part instanceof Uint8Array ? part : Uint8Array.from(part))));

/** Moves the first byte to the end: RndA' and RndB' of the authentication. */
export const rotateLeft = (bytes: Uint8Array): Uint8Array => octets(bytes.subarray(1), bytes.subarray(0, 1));

/** @throws {RangeError} the lengths differ. */
export function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length !== b.length) throw new RangeError('exclusive or of different lengths');
  return a.map((byte, index) => byte ^ b[index]!);
}

/** Compares in a time that does not depend on where the bytes differ. */
export const sameOctets = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

/** Pads with zeros to whole blocks; whole blocks stay unchanged. */
export function padWithZeros(bytes: Uint8Array, blockSize: number): Uint8Array {
  return octets(bytes, zeros((blockSize - (bytes.length % blockSize)) % blockSize));
}

/** ISO/IEC 9797-1 padding method 2: 80, then zeros; always at least one byte. */
export function padWithBit(bytes: Uint8Array, blockSize: number): Uint8Array {
  return padWithZeros(octets(bytes, [0x80]), blockSize);
}
