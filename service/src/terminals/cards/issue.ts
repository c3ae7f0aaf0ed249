/**
 * Issuing: writes our keys to a card in factory state, or to one that had keys of this company before, and verifies
 * them. Each badge has two keys: K0 administers the application and is used only here and to renew keys; K1
 * authenticates stamps. A session with K1 cannot change anything, even if a terminal injects commands.
 *
 * The order allows for a card that is taken away midway: K1 is written before K0, because changing K0 ends the session,
 * and a half-written card is completed, not refused. A badge counts as issued only after the card has proved K1.
 *
 * A listener who records this dialogue of a factory card, whose keys are zero, can compute the new keys. Issue at a
 * terminal you trust.
 */
import { authenticateAes, authenticateDes, type Random } from './authenticate.js';
import { openChannel, plainCommandEv1 } from './change-key.js';
import {
  CardRefused,
  type Dialogue,
  exchange,
  firstExchange,
  type Refused,
  reasonOf,
  transceive,
  withOutcome,
} from './dialogue.js';
import { instruction, statusWord, wrapNative } from './framing.js';
import { sameOctets, zeros } from './octets.js';
import {
  adminKeyNumber,
  asOurKey,
  type CardFamily,
  cardKeyVersion,
  type KeyedCard,
  keysOfCard,
  keyVersions,
  lockCard,
  selectApplication,
  selectCard,
  unlockCard,
  writeKeys,
} from './write-keys.js';

export interface IssuedCard extends KeyedCard {
  /**
   * Whether the card's own master key is ours in the end, so that only this company can format the card. Otherwise a
   * card that was locked before gets the factory's back. DESFire only.
   */
  readonly lock: boolean;
}

export type Issue =
  | {
      readonly outcome: 'issued';
      readonly family: CardFamily;
      /** The master key of the card is ours. */
      readonly locked: boolean;
    }
  | Refused;

/** Enough random bytes for the longest path: at most six authentications of 16 bytes. */
export const issueRandomBytes = 96;

/** K0 is required to change keys and settings and to create or delete files; AES, two keys. */
const applicationSettings = [0x0b, 0x82];

export function issueCard(card: IssuedCard, random: Random): Dialogue<Issue> {
  return withOutcome(issue(card, random));
}

function* issue(card: IssuedCard, random: Random): Dialogue<Issue> {
  const family = yield* identify(card.uid);
  if (family === 'ntag424') {
    // It has no master key of the card, and no command that formats it.
    yield* selectApplication('ntag424', card);
    yield* writeKeys('ntag424', card, { foundVersions: yield* keyVersions(), proved: false }, random);
    return { outcome: 'issued', family, locked: false };
  }
  yield* selectCard();
  const masterVersion = yield* cardKeyVersion();
  const selection = yield* transceive(wrapNative(instruction.selectApplication, card.desfireAid));
  if (selection.status === statusWord.applicationNotFound) yield* createApplication(card, masterVersion, random);
  else if (selection.status !== statusWord.ok) throw new CardRefused(reasonOf(selection.status));
  yield* writeKeys('desfire', card, { foundVersions: yield* keyVersions(), proved: false }, random);
  // Last: until here nothing is lost with the company's key.
  if (card.lock) yield* lockCard(card, random);
  return { outcome: 'issued', family, locked: card.lock || (yield* staysLocked(card, masterVersion, random)) };
}

/** A badge with its keys works on a card that cannot be unlocked too. */
function* staysLocked(card: IssuedCard, masterVersion: number, random: Random): Dialogue<boolean> {
  if (masterVersion === 0 || card.keysOf(masterVersion) === undefined) return false;
  try {
    yield* unlockCard(card, masterVersion, random);
    return false;
  } catch (error) {
    if (error instanceof CardRefused && error.reason !== 'card_removed') return true;
    throw error;
  }
}

/** A master key of the factory or ours shows that the card has no other user. */
function* createApplication(card: IssuedCard, masterVersion: number, random: Random): Dialogue<void> {
  yield* selectCard();
  const channel = openChannel(
    yield* asOurKey(
      masterVersion === 0
        ? authenticateDes(adminKeyNumber, zeros(8), random)
        : authenticateAes(adminKeyNumber, keysOfCard(card, masterVersion).card, random),
    ),
  );
  yield* plainCommandEv1(channel, instruction.createApplication, [...card.desfireAid, ...applicationSettings]);
  yield* selectApplication('desfire', card);
}

/**
 * GetVersion in three frames: identifies the card and confirms that the UID from the reader is its real one (not a
 * random one).
 */
function* identify(uid: Uint8Array): Dialogue<'desfire' | 'ntag424'> {
  const hardware = yield* firstExchange(wrapNative(instruction.getVersion), statusWord.additionalFrame, 7);
  yield* exchange(wrapNative(instruction.additionalFrame), statusWord.additionalFrame, 7);
  const last = yield* transceive(wrapNative(instruction.additionalFrame));
  if (last.status !== statusWord.ok) throw new CardRefused(reasonOf(last.status));
  const production = last.data;
  // NT4H2421Gx table 58: a FabKey identifier may follow.
  if (production.length !== 14 && production.length !== 15) throw new CardRefused('unexpected_reply');
  const [, type, , major] = hardware;
  if (!sameOctets(production.subarray(0, 7), uid)) throw new CardRefused('unsupported_card');
  if ((type! & 0x0f) === 0x01 && [0x01, 0x12, 0x22, 0x33, 0x43].includes(major!)) return 'desfire';
  if (type === 0x04 && major === 0x30) return 'ntag424';
  throw new CardRefused('unsupported_card');
}
