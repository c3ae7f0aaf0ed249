/**
 * Writes keys to a card on which each key is the factory's or one of this company's, in any mixture: an earlier
 * dialogue may have been interrupted, or the company's key replaced since. The card says which version each key has; a
 * key is replaced only after it has authenticated.
 */
import { authenticateAes, authenticateDes, authenticateEv2First, type Random } from './authenticate.js';
import { changeKeyEv2, changeOtherKeyEv1, changeSameKeyEv1, type NewKey, openChannel } from './change-key.js';
import { CardRefused, type Dialogue, exchange } from './dialogue.js';
import { instruction, isoSelectFile, statusWord, wrapNative } from './framing.js';
import { zeros } from './octets.js';

export type CardFamily = 'desfire' | 'ntag424';

/** Keys for one card, from one version of the company's card key. */
export interface CardKeySet {
  /** Bound to the application, which differs by family. */
  readonly desfire: { readonly admin: Uint8Array; readonly stamp: Uint8Array };
  readonly ntag424: { readonly admin: Uint8Array; readonly stamp: Uint8Array };
  /** The master key of the card itself (PICC level), DESFire only. */
  readonly card: Uint8Array;
}

export interface KeyedCard {
  /** 7 bytes, as reported by the reader: the keys are diversified over it. */
  readonly uid: Uint8Array;
  /** The company's application on DESFire, 3 bytes as transmitted. */
  readonly desfireAid: Uint8Array;
  /** The version to write, 1 to 255. */
  readonly keyVersion: number;
  /** @returns undefined if the company's card key has no such version */
  keysOf(version: number): CardKeySet | undefined;
}

/** Versions of both keys as the card says them: 0 is the factory key, ours are 1 and above. */
export interface KeyVersions {
  readonly admin: number;
  readonly stamp: number;
}

export const adminKeyNumber = 0;
export const stampKeyNumber = 1;
/** DF name of the one application of NTAG 424 DNA (NT4H2421Gx §8.2.2). */
export const ntag424Aid: Uint8Array = Buffer.from('d2760000850101', 'hex');
/** In ChangeKey of the card's master key: it becomes an AES key, from any type. */
const aesAtCardLevel = 0x80;
const zeroAes = zeros(16);

/** @throws {CardRefused} somebody else's version */
export function keysOfCard(card: KeyedCard, version: number): CardKeySet {
  const keys = card.keysOf(version);
  if (keys === undefined) throw new CardRefused('not_in_factory_state');
  return keys;
}

export function* selectApplication(family: CardFamily, { desfireAid }: KeyedCard): Dialogue<void> {
  if (family === 'desfire') yield* exchange(wrapNative(instruction.selectApplication, desfireAid), statusWord.ok, 0);
  else yield* exchange(isoSelectFile(ntag424Aid), statusWord.isoOk, 0);
}

/** DESFire: the level of the card itself. */
export function* selectCard(): Dialogue<void> {
  yield* exchange(wrapNative(instruction.selectApplication, zeros(3)), statusWord.ok, 0);
}

/** Outside a session, and before any authentication: NTAG 424 DNA counts those that fail, and this costs none. */
export function* keyVersions(): Dialogue<KeyVersions> {
  const admin = yield* readVersion(adminKeyNumber);
  return { admin, stamp: yield* readVersion(stampKeyNumber) };
}

/** At card level: 0 is the factory's DES key. */
export const cardKeyVersion = (): Dialogue<number> => readVersion(adminKeyNumber);

export function* readVersion(keyNumber: number): Dialogue<number> {
  return (yield* exchange(wrapNative(instruction.getKeyVersion, [keyNumber]), statusWord.ok, 1))[0]!;
}

/**
 * In the selected application, outside a session. If the card is taken away, each of its keys has the old or the new
 * version, and the next try completes it.
 * @param proved the stamp key has just authenticated
 */
export function* writeKeys(
  family: CardFamily,
  card: KeyedCard,
  { foundVersions, proved }: { readonly foundVersions: KeyVersions; readonly proved: boolean },
  random: Random,
): Dialogue<void> {
  const { keyVersion } = card;
  const target = keysOfCard(card, keyVersion)[family];
  const oldKey = (version: number, key: 'admin' | 'stamp') =>
    version === 0 ? zeroAes : keysOfCard(card, version)[family][key];
  const [oldStamp, oldAdmin] = [oldKey(foundVersions.stamp, 'stamp'), oldKey(foundVersions.admin, 'admin')];
  if (foundVersions.stamp !== keyVersion || foundVersions.admin !== keyVersion) {
    // A key with our version must authenticate before anything else is written: another company's issuing may have been
    // interrupted here.
    if (foundVersions.stamp !== 0 && !proved) yield* asOurKey(authenticate(family, stampKeyNumber, oldStamp, random));
    const session = yield* asOurKey(openSession(family, oldAdmin, random));
    if (foundVersions.stamp !== keyVersion)
      yield* session.changeOther({ keyNumber: stampKeyNumber, key: target.stamp, version: keyVersion }, oldStamp);
    if (foundVersions.admin !== keyVersion)
      yield* session.changeOwn({ keyNumber: adminKeyNumber, key: target.admin, version: keyVersion });
  }
  yield* asOurKey(authenticate(family, stampKeyNumber, target.stamp, random));
}

/**
 * DESFire: gives the card a master key of this company. Formatting and deleting then need it; a card with the factory's
 * key can be formatted with any phone.
 */
export function* lockCard(card: KeyedCard, random: Random): Dialogue<void> {
  const { keyVersion } = card;
  const target = keysOfCard(card, keyVersion).card;
  yield* selectCard();
  const foundVersion = yield* cardKeyVersion();
  if (foundVersion !== keyVersion) {
    const session = yield* asOurKey(
      foundVersion === 0
        ? authenticateDes(adminKeyNumber, zeros(8), random)
        : authenticateAes(adminKeyNumber, keysOfCard(card, foundVersion).card, random),
    );
    yield* changeSameKeyEv1(openChannel(session), {
      keyNumber: adminKeyNumber | aesAtCardLevel,
      key: target,
      version: keyVersion,
    });
  }
  yield* asOurKey(authenticateAes(adminKeyNumber, target, random));
}

/**
 * DESFire: gives a card of ours the factory's master key back. The application and the badge's keys stay.
 * @param version of the master key, which is one of ours
 */
export function* unlockCard(card: KeyedCard, version: number, random: Random): Dialogue<void> {
  yield* selectCard();
  const session = yield* authenticateAes(adminKeyNumber, keysOfCard(card, version).card, random);
  // Without the bit for AES it becomes a DES key.
  yield* changeSameKeyEv1(openChannel(session), { keyNumber: adminKeyNumber, key: zeroAes });
  yield* authenticateDes(adminKeyNumber, zeros(8), random);
}

export function* authenticate(
  family: CardFamily,
  keyNumber: number,
  key: Uint8Array,
  random: Random,
): Dialogue<unknown> {
  return family === 'desfire'
    ? yield* authenticateAes(keyNumber, key, random)
    : yield* authenticateEv2First(keyNumber, key, random);
}

interface AdminSession {
  changeOther(change: NewKey, old: Uint8Array): Dialogue<void>;
  /** Ends the session. */
  changeOwn(change: NewKey): Dialogue<void>;
}

function* openSession(family: CardFamily, key: Uint8Array, random: Random): Dialogue<AdminSession> {
  if (family === 'desfire') {
    const channel = openChannel(yield* authenticateAes(adminKeyNumber, key, random));
    return {
      changeOther: (change, old) => changeOtherKeyEv1(channel, change, old),
      changeOwn: (change) => changeSameKeyEv1(channel, change),
    };
  }
  const session = yield* authenticateEv2First(adminKeyNumber, key, random);
  let counter = 0;
  return {
    changeOther: (change, old) => changeKeyEv2(session, counter++, change, old),
    changeOwn: (change) => changeKeyEv2(session, counter++, change, 'same'),
  };
}

/** An unexpected key means that someone else has written keys to this card. */
export function* asOurKey<Session>(authentication: Dialogue<Session>): Dialogue<Session> {
  try {
    return yield* authentication;
  } catch (error) {
    if (error instanceof CardRefused && error.reason === 'wrong_key') throw new CardRefused('not_in_factory_state');
    throw error;
  }
}
