import { aes, type BlockCipher, des } from './block-cipher.js';
import { isEqual, join, rotateLeft } from './bytes.js';
import { deriveEv2Keys, type Ev2Keys } from './ev2-channel.js';

/** A key as the card keeps it. `des` covers single DES (equal halves) and two-key triple DES. */
export interface CardKey {
  readonly type: 'des' | 'aes';
  /** 16 bytes. */
  readonly key: Uint8Array;
  readonly version: number;
}

export function cipherOf(key: CardKey): BlockCipher {
  return key.type === 'aes' ? aes(key.key) : des(key.key);
}

export function zeroKey(type: CardKey['type']): CardKey {
  return { type, key: new Uint8Array(16), version: 0 };
}

/** First answer of AuthenticateISO and AuthenticateAES: RndB, enciphered with a zero IV. */
export function ev1Challenge(key: CardKey, rndB: Uint8Array): Uint8Array {
  return cipherOf(key).encrypt(rndB);
}

/**
 * Second answer of AuthenticateISO and AuthenticateAES. CBC is chained through all three messages, so the IV of the
 * token is the challenge, and the IV of the answer is the token's last block.
 *
 * @param token E(RndA || RndB rotated), two random numbers long.
 * @returns undefined if the token does not hold RndB: the reader has another key.
 */
export function ev1Respond(
  key: CardKey,
  rndB: Uint8Array,
  token: Uint8Array,
): { readonly answer: Uint8Array; readonly session: BlockCipher } | undefined {
  const cipher = cipherOf(key);
  const plain = cipher.decrypt(token, ev1Challenge(key, rndB).subarray(-cipher.blockSize));
  const rndA = plain.subarray(0, rndB.length);
  if (!isEqual(plain.subarray(rndB.length), rotateLeft(rndB))) return undefined;
  return {
    answer: cipher.encrypt(rotateLeft(rndA), token.subarray(-cipher.blockSize)),
    session: ev1Session(key, rndA, rndB),
  };
}

/** Session key of the EV1 channel: quarters of both random numbers, by key type. */
function ev1Session(key: CardKey, rndA: Uint8Array, rndB: Uint8Array): BlockCipher {
  if (key.type === 'aes')
    return aes(join(rndA.subarray(0, 4), rndB.subarray(0, 4), rndA.subarray(12), rndB.subarray(12)));
  const single = join(rndA.subarray(0, 4), rndB.subarray(0, 4));
  return isEqual(key.key.subarray(0, 8), key.key.subarray(8))
    ? des(single)
    : des(join(single, rndA.subarray(4), rndB.subarray(4)));
}

/**
 * Second answer of AuthenticateEV2First; every message has a zero IV. The answer holds TI, RndA rotated, the card's
 * capabilities (none) and those the reader sent.
 *
 * @param token E(RndA || RndB rotated), 32 bytes.
 * @param capabilities PCDcap2, 6 bytes.
 * @returns undefined if the token does not hold RndB.
 */
export function ev2Respond(
  key: CardKey,
  rndB: Uint8Array,
  transaction: Uint8Array,
  capabilities: Uint8Array,
  token: Uint8Array,
): { readonly answer: Uint8Array; readonly keys: Ev2Keys } | undefined {
  const cipher = cipherOf(key);
  const plain = cipher.decrypt(token);
  const rndA = plain.subarray(0, 16);
  if (!isEqual(plain.subarray(16), rotateLeft(rndB))) return undefined;
  return {
    answer: cipher.encrypt(join(transaction, rotateLeft(rndA), new Uint8Array(6), capabilities)),
    keys: deriveEv2Keys(key.key, rndA, rndB),
  };
}
