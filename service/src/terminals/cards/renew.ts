/**
 * A proof after the company's card key was replaced: the badge proves the key it has, then gets the new one, in the same
 * dialogue. If the card is taken away in between, its keys have the old or the new version; either proves at the next
 * stamp, which completes it.
 */
import type { Random } from './authenticate.js';
import {
  type CardRefusalReason,
  CardRefused,
  type Dialogue,
  firstExchange,
  type Refused,
  withOutcome,
} from './dialogue.js';
import { instruction, isoSelectFile, statusWord, wrapNative } from './framing.js';
import {
  authenticate,
  type CardFamily,
  type KeyedCard,
  keysOfCard,
  keyVersions,
  lockCard,
  ntag424Aid,
  readVersion,
  selectApplication,
  stampKeyNumber,
  writeKeys,
} from './write-keys.js';

export interface RenewedCard extends KeyedCard {
  readonly family: CardFamily;
  /** The version that the badge proved last. */
  readonly from: number;
  /** The newest version that was ever sent to it; the same as `from` unless a renewal was interrupted. */
  readonly upTo: number;
  /** The card's own master key is ours, and is renewed with the others. */
  readonly locked: boolean;
}

export type RenewingProof =
  | {
      readonly outcome: 'proved';
      /** What became of the key. A badge that has proved itself stays proved. */
      readonly renewal: 'done' | CardRefusalReason;
    }
  | Refused;

/** Enough for five authentications. */
export const renewalRandomBytes = 80;

export function proveAndRenew(card: RenewedCard, random: Random): Dialogue<RenewingProof> {
  return withOutcome(renew(card, random));
}

function* renew(card: RenewedCard, random: Random): Dialogue<RenewingProof> {
  const { family } = card;
  if (family === 'desfire')
    yield* firstExchange(wrapNative(instruction.selectApplication, card.desfireAid), statusWord.ok, 0);
  else yield* firstExchange(isoSelectFile(ntag424Aid), statusWord.isoOk, 0);
  // The card chooses only among the versions that it may have.
  const version = card.upTo === card.from ? card.from : yield* readVersion(stampKeyNumber);
  if (version < card.from || version > card.upTo) throw new CardRefused('wrong_key');
  yield* authenticate(family, stampKeyNumber, keysOfCard(card, version)[family].stamp, random);
  try {
    // Leaves the session, in which versions would come with a MAC.
    yield* selectApplication(family, card);
    yield* writeKeys(family, card, { found: yield* keyVersions(), proved: true }, random);
    if (card.locked) yield* lockCard(card, random);
  } catch (error) {
    if (error instanceof CardRefused) return { outcome: 'proved', renewal: error.reason };
    throw error;
  }
  return { outcome: 'proved', renewal: 'done' };
}
