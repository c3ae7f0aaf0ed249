/**
 * Mutual authentication: both sides prove that they hold the same key. DESFire: AuthenticateAES (AA) in the EV1 way,
 * one CBC chain through all three messages, and AuthenticateISO (1A) with DES for the key of a factory card. NTAG 424
 * DNA: AuthenticateEV2First (71, NT4H2421Gx §9.1.5), every message with an IV of zero.
 */
import { aes128, type BlockCipher, des } from './block-cipher.js';
import { cmac } from './cmac.js';
import { CardRefused, type Dialogue, exchange } from './dialogue.js';
import { instruction, statusWord, wrapNative } from './framing.js';
import { octets, rotateLeft, sameOctets, xor, zeros } from './octets.js';

export type Random = (length: number) => Uint8Array;

/** The result of an EV1 authentication: the session key. Its running IV starts at zero. */
export interface Ev1Session {
  readonly cipher: BlockCipher;
  readonly key: Uint8Array;
}

export interface Ev2Session {
  /** Transaction identifier, 4 bytes. */
  readonly ti: Uint8Array;
  readonly encryptionKey: Uint8Array;
  readonly macKey: Uint8Array;
}

/** AuthenticateAES with a 16-byte key. @throws {CardRefused} */
export function* authenticateAes(keyNumber: number, key: Uint8Array, random: Random): Dialogue<Ev1Session> {
  const { rndA, rndB } = yield* authenticateChained(aes128, instruction.authenticateAes, keyNumber, key, random(16));
  return {
    cipher: aes128,
    key: octets(rndA.subarray(0, 4), rndB.subarray(0, 4), rndA.subarray(12, 16), rndB.subarray(12, 16)),
  };
}

/** AuthenticateISO with a single DES key of 8 bytes. @throws {CardRefused} */
export function* authenticateDes(keyNumber: number, key: Uint8Array, random: Random): Dialogue<Ev1Session> {
  const { rndA, rndB } = yield* authenticateChained(des, instruction.authenticateIso, keyNumber, key, random(8));
  return { cipher: des, key: octets(rndA.subarray(0, 4), rndB.subarray(0, 4)) };
}

function* authenticateChained(
  cipher: BlockCipher,
  ins: number,
  keyNumber: number,
  key: Uint8Array,
  rndA: Uint8Array,
): Dialogue<{ rndA: Uint8Array; rndB: Uint8Array }> {
  const size = rndA.length;
  const encryptedB = yield* exchange(wrapNative(ins, [keyNumber]), statusWord.additionalFrame, size);
  const rndB = cipher.decrypt(key, zeros(cipher.blockSize), encryptedB);
  const token = cipher.encrypt(key, encryptedB.subarray(size - cipher.blockSize), octets(rndA, rotateLeft(rndB)));
  const answer = yield* exchange(wrapNative(instruction.additionalFrame, token), statusWord.ok, size);
  const returnedA = cipher.decrypt(key, token.subarray(token.length - cipher.blockSize), answer);
  if (!sameOctets(returnedA, rotateLeft(rndA))) throw new CardRefused('forged_reply');
  return { rndA, rndB };
}

/** AuthenticateEV2First with a 16-byte key. @throws {CardRefused} */
export function* authenticateEv2First(keyNumber: number, key: Uint8Array, random: Random): Dialogue<Ev2Session> {
  const rndA = random(16);
  const encryptedB = yield* exchange(
    wrapNative(instruction.authenticateEv2First, [keyNumber, 0x00]),
    statusWord.additionalFrame,
    16,
  );
  const rndB = aes128.decrypt(key, zeros(16), encryptedB);
  const token = aes128.encrypt(key, zeros(16), octets(rndA, rotateLeft(rndB)));
  const answer = aes128.decrypt(
    key,
    zeros(16),
    yield* exchange(wrapNative(instruction.additionalFrame, token), statusWord.ok, 32),
  );
  if (!sameOctets(answer.subarray(4, 20), rotateLeft(rndA))) throw new CardRefused('forged_reply');
  return { ti: answer.subarray(0, 4), ...ev2SessionKeys(key, rndA, rndB) };
}

/** NT4H2421Gx §9.1.7: both keys are CMACs over the same combination of both random numbers. */
export function ev2SessionKeys(
  key: Uint8Array,
  rndA: Uint8Array,
  rndB: Uint8Array,
): Pick<Ev2Session, 'encryptionKey' | 'macKey'> {
  const mix = octets(
    rndA.subarray(0, 2),
    xor(rndA.subarray(2, 8), rndB.subarray(0, 6)),
    rndB.subarray(6, 16),
    rndA.subarray(8, 16),
  );
  const derive = (label: readonly number[]) => cmac(aes128, key, octets(label, [0x00, 0x01, 0x00, 0x80], mix));
  return { encryptionKey: derive([0xa5, 0x5a]), macKey: derive([0x5a, 0xa5]) };
}
