/**
 * The proof at a stamp: three commands, after which both sides have shown that they hold the badge key. Card family,
 * application and key number come from the badge; nothing the card says changes them. It may say that its key has a
 * later version: the key was renewed, and the record of that is lost, or the renewal was interrupted. It then proves
 * that one.
 */
import type { Random } from './authenticate.js';
import { CardRefused, type Dialogue, exchange, firstExchange, type Refused, withOutcome } from './dialogue.js';
import { instruction, isoSelectFile, statusWord, wrapNative } from './framing.js';
import { authenticate, type CardFamily, readVersion } from './write-keys.js';

export interface ProvingCard {
  readonly family: CardFamily;
  /** As transmitted: 3 bytes for DESFire, 7 bytes for NTAG 424 DNA. */
  readonly aid: Uint8Array;
  readonly keyNumber: number;
  /** The version that the badge proved last. */
  readonly from: number;
  /** The newest version that was ever sent to it; the same as `from` unless a renewal was interrupted. */
  readonly upTo: number;
  /** 16 bytes, see {@link badgeKey}. @returns undefined if the company's card key has no such version */
  keyOf(version: number): Uint8Array | undefined;
}

export type Proof =
  | {
      readonly outcome: 'proved';
      /** Version of the key that was proved. */
      readonly version: number;
    }
  | Refused;

/** Random bytes one proof uses at most: for two authentications. */
export const proofRandomBytes = 32;

/** @param random each byte is used once, in one dialogue */
export function proveCard(card: ProvingCard, random: Random): Dialogue<Proof> {
  return withOutcome(prove(card, random));
}

function* prove(card: ProvingCard, random: Random): Dialogue<Proof> {
  return { outcome: 'proved', version: yield* proveVersion(card, random) };
}

/** @returns the version of the key that was proved, in whose session the card is. @throws {CardRefused} */
export function* proveVersion(card: ProvingCard, random: Random): Dialogue<number> {
  const { command, status } = selectionOf(card);
  yield* firstExchange(command, status, 0);
  if (card.upTo !== card.from) return yield* proveNamedVersion(card, card.from, random);
  try {
    yield* authenticate(card.family, card.keyNumber, keyOf(card, card.from), random);
    return card.from;
  } catch (error) {
    if (!(error instanceof CardRefused && error.reason === 'wrong_key')) throw error;
    return yield* proveLaterVersion(card, error, random);
  }
}

/** A key that was renewed before the database was restored. It costs the card one failed authentication, once. */
function* proveLaterVersion(card: ProvingCard, refusal: CardRefused, random: Random): Dialogue<number> {
  try {
    const { command, status } = selectionOf(card);
    yield* exchange(command, status, 0);
    return yield* proveNamedVersion(card, card.from + 1, random);
  } catch (error) {
    if (error instanceof CardRefused && error.reason !== 'card_removed') throw refusal;
    throw error;
  }
}

/** The card names its version, and never an earlier one than the badge has proved. */
function* proveNamedVersion(card: ProvingCard, atLeast: number, random: Random): Dialogue<number> {
  const version = yield* readVersion(card.keyNumber);
  if (version < atLeast) throw new CardRefused('wrong_key');
  yield* authenticate(card.family, card.keyNumber, keyOf(card, version), random);
  return version;
}

function keyOf(card: ProvingCard, version: number): Uint8Array {
  const key = card.keyOf(version);
  if (key === undefined) throw new CardRefused('wrong_key');
  return key;
}

function selectionOf({ family, aid }: ProvingCard) {
  return family === 'desfire'
    ? { command: wrapNative(instruction.selectApplication, aid), status: statusWord.ok }
    : { command: isoSelectFile(aid), status: statusWord.isoOk };
}
