import type { BlockCipher } from './block-cipher.js';
import { join, xor } from './bytes.js';

/**
 * CMAC (NIST SP 800-38B, RFC 4493) over whole bytes; one block long.
 * The EV1 secure channel starts the chain at its running IV; everyone else at zero.
 */
export function cmac(cipher: BlockCipher, message: Uint8Array, iv = new Uint8Array(cipher.blockSize)): Uint8Array {
  const size = cipher.blockSize;
  const k1 = double(cipher.encrypt(new Uint8Array(size)), size);
  const isComplete = message.length > 0 && message.length % size === 0;
  const padded = isComplete ? message : join(message, [0x80], new Uint8Array(size - 1 - (message.length % size)));
  const start = padded.length - size;
  const last = xor(padded.subarray(start), isComplete ? k1 : double(k1, size));
  return cipher.encrypt(join(padded.subarray(0, start), last), iv).subarray(-size);
}

/** Doubling in GF(2^64) or GF(2^128). */
function double(block: Uint8Array, size: 8 | 16): Uint8Array {
  const shiftedBlock = block.map((byte, index) => ((byte << 1) | ((block[index + 1] ?? 0) >>> 7)) & 0xff);
  if ((block[0]! & 0x80) !== 0) shiftedBlock[size - 1]! ^= size === 16 ? 0x87 : 0x1b;
  return shiftedBlock;
}

/** MACt of the EV2 channel: every second byte of a CMAC, the odd ones counted from 0. */
export function truncateMac(mac: Uint8Array): Uint8Array {
  return mac.filter((_, index) => index % 2 === 1);
}

/**
 * CRC-32 with polynomial EDB88320, starting at FFFFFFFF and without the final inversion; four bytes, least significant
 * first.
 */
export function crc32(message: Uint8Array): Uint8Array {
  let register = 0xffffffff;
  for (const byte of message) {
    register ^= byte;
    for (let bit = 0; bit < 8; bit += 1) register = (register >>> 1) ^ ((register & 1) === 1 ? 0xedb88320 : 0);
  }
  return Uint8Array.of(register & 0xff, (register >>> 8) & 0xff, (register >>> 16) & 0xff, (register >>> 24) & 0xff);
}
