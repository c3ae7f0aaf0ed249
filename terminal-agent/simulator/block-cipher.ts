import { createCipheriv, createDecipheriv } from 'node:crypto';

/** A block cipher in CBC mode without padding. Inputs are whole blocks; `iv` is one block, zero if absent. */
export interface BlockCipher {
  readonly blockSize: 8 | 16;
  encrypt(plain: Uint8Array, iv?: Uint8Array): Uint8Array;
  decrypt(cipher: Uint8Array, iv?: Uint8Array): Uint8Array;
}

/** AES-128. */
export function aes(key: Uint8Array): BlockCipher {
  return cbc('aes-128-cbc', key, 16);
}

/**
 * DES (key of 8 bytes, or of 16 with equal halves) and two-key triple DES (16 bytes). Single DES runs as EDE with one
 * key three times, because OpenSSL 3 keeps `des-cbc` in a provider that Node does not load. Parity bits are ignored by
 * the cipher.
 */
export function des(key: Uint8Array): BlockCipher {
  const first = key.subarray(0, 8);
  const second = key.length === 16 ? key.subarray(8) : first;
  return cbc('des-ede3-cbc', Buffer.concat([first, second, first]), 8);
}

function cbc(algorithm: string, key: Uint8Array, blockSize: 8 | 16): BlockCipher {
  const zero = new Uint8Array(blockSize);
  return {
    blockSize,
    encrypt(plain, iv = zero) {
      const cipher = createCipheriv(algorithm, key, iv).setAutoPadding(false);
      return Uint8Array.from(Buffer.concat([cipher.update(plain), cipher.final()]));
    },
    decrypt(text, iv = zero) {
      const decipher = createDecipheriv(algorithm, key, iv).setAutoPadding(false);
      return Uint8Array.from(Buffer.concat([decipher.update(text), decipher.final()]));
    },
  };
}
