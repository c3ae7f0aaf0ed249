/** The two block ciphers of the card protocols, in CBC mode and without padding: the caller passes whole blocks. */
import { createCipheriv, createDecipheriv } from 'node:crypto';

export interface BlockCipher {
  /** Bytes of a block, and of an initialisation vector. */
  readonly blockSize: 8 | 16;
  /** Constant of the CMAC subkeys for this block size (NIST SP 800-38B §5.3). */
  readonly subkeyConstant: number;
  encrypt(key: Uint8Array, iv: Uint8Array, plain: Uint8Array): Uint8Array;
  decrypt(key: Uint8Array, iv: Uint8Array, cipher: Uint8Array): Uint8Array;
}

function cbc(
  algorithm: string,
  blockSize: 8 | 16,
  subkeyConstant: number,
  keyOf: (key: Uint8Array) => Uint8Array,
): BlockCipher {
  const requireBlocks = (bytes: Uint8Array) => {
    if (bytes.length % blockSize !== 0)
      throw new RangeError(`${bytes.length} bytes are not whole blocks of ${blockSize}`);
    return bytes;
  };
  return {
    blockSize,
    subkeyConstant,
    encrypt(key, iv, plain) {
      const cipher = createCipheriv(algorithm, keyOf(key), iv).setAutoPadding(false);
      return Buffer.concat([cipher.update(requireBlocks(plain)), cipher.final()]);
    },
    decrypt(key, iv, cipher) {
      const decipher = createDecipheriv(algorithm, keyOf(key), iv).setAutoPadding(false);
      return Buffer.concat([decipher.update(requireBlocks(cipher)), decipher.final()]);
    },
  };
}

export const aes128: BlockCipher = cbc('aes-128-cbc', 16, 0x87, (key) => key);

/**
 * Single DES with an 8-byte key; DES ignores the lowest bit of every key byte. OpenSSL 3 keeps `des-cbc` in its legacy
 * provider, which Node does not load; triple DES with the same key three times is the same permutation.
 */
export const des: BlockCipher = cbc('des-ede3-cbc', 8, 0x1b, (key) => {
  if (key.length !== 8) throw new RangeError('a DES key has 8 bytes');
  return Buffer.concat([key, key, key]);
});
