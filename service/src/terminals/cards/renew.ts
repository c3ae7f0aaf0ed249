/**
 * A proof after the company's card key was replaced: the badge proves the key it has, then gets the new one, in the
 * same dialogue. If the card is taken away in between, its keys have the old or the new version; either proves at the
 * next stamp, which completes it.
 */
import type { Random } from './authenticate.js';
import { type CardRefusalReason, CardRefused, type Dialogue, type Refused, withOutcome } from './dialogue.js';
import { type ProvingCard, proveVersion } from './prove.js';
import { type KeyedCard, keyVersions, lockCard, selectApplication, writeKeys } from './write-keys.js';

export interface RenewedCard extends KeyedCard, ProvingCard {
  /** The card's own master key is ours, and is renewed with the others. */
  readonly locked: boolean;
}

export type RenewingProof =
  | {
      readonly outcome: 'proved';
      /** Version of the key that was proved. */
      readonly version: number;
      /**
       * The outcome of the renewal. A proved badge stays proved. Absent if it has a later key than the service knows.
       */
      readonly renewal?: 'done' | CardRefusalReason;
    }
  | Refused;

/** Enough for six authentications. */
export const renewalRandomBytes = 96;

export function proveAndRenew(card: RenewedCard, random: Random): Dialogue<RenewingProof> {
  return withOutcome(renew(card, random));
}

function* renew(card: RenewedCard, random: Random): Dialogue<RenewingProof> {
  const { family } = card;
  const version = yield* proveVersion(card, random);
  if (version > card.keyVersion) return { outcome: 'proved', version };
  try {
    // Leaves the session, in which versions would come with a MAC.
    yield* selectApplication(family, card);
    yield* writeKeys(family, card, { foundVersions: yield* keyVersions(), proved: true }, random);
    if (card.locked) yield* lockCard(card, random);
  } catch (error) {
    if (error instanceof CardRefused) return { outcome: 'proved', version, renewal: error.reason };
    throw error;
  }
  return { outcome: 'proved', version, renewal: 'done' };
}
