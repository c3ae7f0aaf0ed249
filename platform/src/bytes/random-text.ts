/** Random bytes as text that people type and scanners find. */

/** Cryptographically secure bytes; tests hand in their own. */
export type RandomBytes = (size: number) => Uint8Array;

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Crockford's base 32: no I, L, O, U. */
const crockfordDigits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Uniform base62 digits: bytes of 248 and above are thrown away. */
export function base62(length: number, randomBytes: RandomBytes): string {
  let digits = '';
  while (digits.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && digits.length < length) digits += base62Digits[byte % 62];
    }
  }
  return digits;
}

/** A whole number in base62, with leading zeros up to `length`. */
export function toBase62(value: number, length: number): string {
  let digits = '';
  for (let remainder = value; digits.length < length; remainder = Math.floor(remainder / 62))
    digits = base62Digits[remainder % 62]! + digits;
  return digits;
}

/** Uniform Crockford digits, five bits each: 256 is a multiple of 32. */
export function crockford(length: number, randomBytes: RandomBytes): string {
  return [...randomBytes(length)].map((byte) => crockfordDigits[byte % 32]).join('');
}

/** Bytes in Crockford's base 32, first bit first. @param bytes a multiple of five: no bits are left over */
export function toCrockford(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((digit) => crockfordDigits[Number.parseInt(digit, 2)]).join('');
}

/** Accepted spellings of a digit: either case, with or without hyphens, I and L for 1, O for 0. */
export function readCrockford(text: string): string {
  return text.toUpperCase().replaceAll('-', '').replaceAll(/[IL]/g, '1').replaceAll('O', '0');
}
