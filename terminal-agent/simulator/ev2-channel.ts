import { aes } from './block-cipher.js';
import { isEqual, join, littleEndian16 } from './bytes.js';
import { cmac, truncateMac } from './checksums.js';

/**
 * The card's end of the secure channel that AuthenticateEV2First opens (DESFire EV2 and later, NTAG 424 DNA): a
 * transaction identifier and a command counter instead of a running IV, and a MAC on commands as well.
 */
export interface Ev2Channel {
  /** True if MACt over `INS || CmdCtr || TI || parameters` fits; `parameters` is everything between INS and MACt. */
  accepts(instruction: number, parameters: Uint8Array, mact: Uint8Array): boolean;
  /** Deciphers the data of a command in full mode, padding removed; undefined if the padding is wrong. */
  decipher(cryptogram: Uint8Array): Uint8Array | undefined;
  /** An answer in MAC mode: data followed by MACt. The counter moves on with every answer. */
  answer(data: Uint8Array): Uint8Array;
  /** An answer in full mode: enciphered data followed by MACt. */
  encipher(plain: Uint8Array): Uint8Array;
}

export interface Ev2Keys {
  readonly encryption: Uint8Array;
  readonly mac: Uint8Array;
}

/**
 * Session keys of AuthenticateEV2First (AN12343 section 5, NT4H2421Gx section 9.1.7): a CMAC under the authenticated
 * key over two labelled vectors.
 */
export function deriveEv2Keys(key: Uint8Array, rndA: Uint8Array, rndB: Uint8Array): Ev2Keys {
  const context = Uint8Array.from([
    ...rndA.subarray(0, 2),
    ...rndA.subarray(2, 8).map((byte, index) => byte ^ rndB[index]!),
    ...rndB.subarray(6),
    ...rndA.subarray(8),
  ]);
  const cipher = aes(key);
  return {
    encryption: cmac(cipher, join([0xa5, 0x5a, 0x00, 0x01, 0x00, 0x80], context)),
    mac: cmac(cipher, join([0x5a, 0xa5, 0x00, 0x01, 0x00, 0x80], context)),
  };
}

/** @param counter CmdCtr to start at; 0 right after the authentication. */
export function openEv2Channel(keys: Ev2Keys, transaction: Uint8Array, counter = 0): Ev2Channel {
  const encryption = aes(keys.encryption);
  const authentication = aes(keys.mac);
  const iv = (label: readonly number[]) =>
    encryption.encrypt(join(label, transaction, littleEndian16(counter), new Uint8Array(8)));
  const mac = (head: number, body: Uint8Array) =>
    truncateMac(cmac(authentication, join([head], littleEndian16(counter), transaction, body)));
  return {
    accepts: (instruction, parameters, mact) => isEqual(mac(instruction, parameters), mact),
    decipher: (cryptogram) => withoutPadding(encryption.decrypt(cryptogram, iv([0xa5, 0x5a]))),
    answer(data) {
      counter += 1;
      return join(data, mac(0x00, data));
    },
    encipher(plain) {
      counter += 1;
      const cipher = encryption.encrypt(
        join(plain, [0x80], new Uint8Array(15 - (plain.length % 16))),
        iv([0x5a, 0xa5]),
      );
      return join(cipher, mac(0x00, cipher));
    },
  };
}

/** Takes off ISO/IEC 9797-1 padding method 2. */
function withoutPadding(padded: Uint8Array): Uint8Array | undefined {
  const mark = padded.lastIndexOf(0x80);
  return mark >= 0 && padded.subarray(mark + 1).every((byte) => byte === 0) ? padded.subarray(0, mark) : undefined;
}
