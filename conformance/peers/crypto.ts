/** What cards and terminals calculate, written from the standards with node:crypto and nothing else. */
import { createCipheriv, createDecipheriv } from 'node:crypto';

export const xor = (a: Uint8Array, b: Uint8Array): Buffer => Buffer.from(a.map((byte, index) => byte ^ b[index]!));
export const zeros = (length: number): Buffer => Buffer.alloc(length);
/** One byte to the left. */
export const rotate = (bytes: Buffer): Buffer => Buffer.concat([bytes.subarray(1), bytes.subarray(0, 1)]);

/** CBC without padding, over AES-128 or over DES with the one key that a factory card has. */
export interface Cipher {
  readonly block: number;
  encrypt(iv: Buffer, data: Buffer): Buffer;
  decrypt(iv: Buffer, data: Buffer): Buffer;
}

export function aes(key: Uint8Array): Cipher {
  return cipherOf('aes-128-cbc', Buffer.from(key), 16);
}

/** Single DES; OpenSSL 3 offers it as triple DES with one key three times. @param key 8 bytes */
export function des(key: Uint8Array): Cipher {
  return cipherOf('des-ede3-cbc', Buffer.concat([key, key, key]), 8);
}

function cipherOf(name: string, key: Buffer, block: number): Cipher {
  return {
    block,
    encrypt(iv, data) {
      const cipher = createCipheriv(name, key, iv).setAutoPadding(false);
      return Buffer.concat([cipher.update(data), cipher.final()]);
    },
    decrypt(iv, data) {
      const cipher = createDecipheriv(name, key, iv).setAutoPadding(false);
      return Buffer.concat([cipher.update(data), cipher.final()]);
    },
  };
}

function subkeys(cipher: Cipher): readonly [Buffer, Buffer] {
  const double = (bytes: Buffer): Buffer => {
    const out = Buffer.alloc(bytes.length);
    for (let index = 0; index < bytes.length; index++)
      out[index] = ((bytes[index]! << 1) | ((bytes[index + 1] ?? 0) >> 7)) & 0xff;
    if (bytes[0]! & 0x80) out[out.length - 1]! ^= cipher.block === 16 ? 0x87 : 0x1b;
    return out;
  };
  const first = double(cipher.encrypt(zeros(cipher.block), zeros(cipher.block)));
  return [first, double(first)];
}

/** RFC 4493, with a running IV as the EV1 channel of DESFire has one. */
export function cmac(cipher: Cipher, message: Uint8Array, iv: Buffer = zeros(cipher.block)): Buffer {
  const [k1, k2] = subkeys(cipher);
  const { block } = cipher;
  const complete = message.length > 0 && message.length % block === 0;
  const padded = complete
    ? Buffer.from(message)
    : Buffer.concat([message, Buffer.from([0x80]), zeros((block - ((message.length + 1) % block)) % block)]);
  const last = padded.length - block;
  const masked = Buffer.concat([padded.subarray(0, last), xor(padded.subarray(last), complete ? k1 : k2)]);
  return cipher.encrypt(iv, masked).subarray(-block);
}

/** AN10922 §2.2: over `01 || M`, always padded to 32 bytes. */
export function diversify(key: Uint8Array, m: Uint8Array): Buffer {
  const cipher = aes(key);
  const [k1, k2] = subkeys(cipher);
  const input = Buffer.concat([Buffer.from([0x01]), m]);
  const padded = input.length === 32 ? input : Buffer.concat([input, Buffer.from([0x80]), zeros(31 - input.length)]);
  const masked = Buffer.concat([padded.subarray(0, 16), xor(padded.subarray(16), input.length === 32 ? k1 : k2)]);
  return cipher.encrypt(zeros(16), masked).subarray(16);
}

/** CRC-32 without the last inversion, least significant byte first, as DESFire sends it. */
export function crc32(bytes: Uint8Array): Buffer {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  const out = Buffer.alloc(4);
  out.writeUInt32LE(crc >>> 0);
  return out;
}
