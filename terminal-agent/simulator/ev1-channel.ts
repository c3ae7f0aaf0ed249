import type { BlockCipher } from './block-cipher.js';
import { join } from './bytes.js';
import { cmac } from './checksums.js';

/**
 * The card's end of the secure channel that AuthenticateISO and AuthenticateAES open on DESFire EV1 and later. One IV
 * runs through everything both sides say; a plain command moves it without a MAC on the air, a plain answer carries the
 * first eight bytes of the CMAC.
 */
export interface Ev1Channel {
  /** A command sent in the clear: `INS || parameters`. */
  plainCommand(command: Uint8Array): void;
  /** An answer in the clear: data followed by its MAC. */
  answer(data: Uint8Array): Uint8Array;
  /** The enciphered part of a command. */
  decipher(cryptogram: Uint8Array): Uint8Array;
  /** An enciphered answer; `plain` is padded to whole blocks. */
  encipher(plain: Uint8Array): Uint8Array;
  /** The running IV, one block. */
  iv(): Uint8Array;
}

/**
 * @param session cipher under the session key; its block size makes the difference between ISO and AES authentication.
 */
export function openEv1Channel(session: BlockCipher): Ev1Channel {
  let iv = new Uint8Array(session.blockSize);
  return {
    plainCommand(command) {
      iv = Uint8Array.from(cmac(session, command, iv));
    },
    answer(data) {
      iv = Uint8Array.from(cmac(session, join(data, [0x00]), iv));
      return join(data, iv.subarray(0, 8));
    },
    decipher(cryptogram) {
      const plain = session.decrypt(cryptogram, iv);
      iv = cryptogram.slice(-session.blockSize);
      return plain;
    },
    encipher(plain) {
      const cipher = session.encrypt(
        join(plain, new Uint8Array((session.blockSize - (plain.length % session.blockSize)) % session.blockSize)),
        iv,
      );
      iv = cipher.slice(-session.blockSize);
      return cipher;
    },
    iv: () => iv.slice(),
  };
}
