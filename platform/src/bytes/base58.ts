/** Base58 with the alphabet of Bitcoin. */

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const digitOf = new Int8Array(128).fill(-1);
for (let index = 0; index < alphabet.length; index++) digitOf[alphabet.charCodeAt(index)] = index;

/** Each leading zero byte is one leading `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let index = 0; index < digits.length; index++) {
      carry += digits[index]! << 8;
      digits[index] = carry % 58;
      carry = (carry / 58) | 0;
    }
    for (; carry > 0; carry = (carry / 58) | 0) digits.push(carry % 58);
  }
  let text = '';
  for (let index = 0; index < bytes.length && bytes[index] === 0; index++) text += '1';
  for (let index = digits.length - 1; index >= 0; index--) text += alphabet[digits[index]!];
  return text;
}

/** @returns undefined if a character is not of the alphabet, or if the value needs more than `maxBytes` bytes */
export function decodeBase58(text: string, maxBytes: number): Uint8Array | undefined {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    let carry = digitOf[text.charCodeAt(index)] ?? -1;
    if (carry < 0) return undefined;
    for (let place = 0; place < bytes.length; place++) {
      carry += bytes[place]! * 58;
      bytes[place] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
    if (bytes.length > maxBytes) return undefined;
  }
  let zeros = 0;
  while (text[zeros] === '1') zeros++;
  if (zeros + bytes.length > maxBytes) return undefined;
  const result = new Uint8Array(zeros + bytes.length);
  for (let index = 0; index < bytes.length; index++) result[zeros + index] = bytes[bytes.length - 1 - index]!;
  return result;
}

/** True for 32 bytes in Base58, which are 32 to 44 characters. 44 may be more than 32 bytes, so the text is decoded. */
export function isBase58Digest(text: string): boolean {
  return text.length >= 32 && text.length <= 44 && decodeBase58(text, 32)?.length === 32;
}
