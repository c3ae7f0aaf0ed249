/**
 * The proof at a stamp: three commands, after which both sides have shown that they hold the badge key. Card family,
 * application and key number come from the badge; nothing the card says changes them, and there is no fallback.
 */
import { authenticateAes, authenticateEv2First, type Random } from './authenticate.js';
import { type Dialogue, firstExchange, type Refused, withOutcome } from './dialogue.js';
import { instruction, isoSelectFile, statusWord, wrapNative } from './framing.js';
import { zeros } from './octets.js';

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

/** The first two commands of a proof, which are the same for every card of a family. */
export interface ProofOpening {
  readonly command: Uint8Array;
  /** The second may follow a response with this status word. */
  readonly after: number;
  readonly next: Uint8Array;
}

export function openingOf(card: Omit<CardKeys, 'key'>): ProofOpening {
  const after = card.family === 'desfire' ? statusWord.ok : statusWord.isoOk;
  // Neither command depends on the key.
  const dialogue = proveCard({ ...card, key: zeros(16) }, zeros);
  const commands = [dialogue.next(), dialogue.next(Uint8Array.of(after >> 8, after & 0xff))].map(({ value }) => value);
  return { command: commands[0] as Uint8Array, after, next: commands[1] as Uint8Array };
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
