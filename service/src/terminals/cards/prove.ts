/**
 * The proof at a stamp: three commands, after which both sides have shown that they hold the badge key. Card family,
 * application and key number come from the badge; nothing the card says changes them, and there is no fallback.
 */
import { authenticateAes, authenticateEv2First, type Random } from './authenticate.js';
import { type Dialogue, firstExchange, type Refused, withOutcome } from './dialogue.js';
import { instruction, isoSelectFile, statusWord, wrapNative } from './framing.js';

export interface CardKeys {
  readonly family: 'desfire' | 'ntag424';
  /** As transmitted: 3 bytes for DESFire, 7 bytes for NTAG 424 DNA. */
  readonly aid: Uint8Array;
  readonly keyNumber: number;
  /** 16 bytes, see {@link badgeKey}. */
  readonly key: Uint8Array;
}

export type Proof = { readonly outcome: 'proved' } | Refused;

/** Random bytes one proof uses. */
export const proofRandomBytes = 16;

/** @param random each byte is used once, in one dialogue */
export function proveCard(card: CardKeys, random: Random): Dialogue<Proof> {
  return withOutcome(prove(card, random));
}

function* prove({ family, aid, keyNumber, key }: CardKeys, random: Random): Dialogue<Proof> {
  if (family === 'desfire') {
    yield* firstExchange(wrapNative(instruction.selectApplication, aid), statusWord.ok, 0);
    yield* authenticateAes(keyNumber, key, random);
  } else {
    yield* firstExchange(isoSelectFile(aid), statusWord.isoOk, 0);
    yield* authenticateEv2First(keyNumber, key, random);
  }
  return { outcome: 'proved' };
}
