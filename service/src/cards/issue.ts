/**
 * Issuing: our keys onto a card in factory state, and the proof that they are there. Two keys a badge: K0 administers
 * the application and is used here only, K1 proves at stamps;
 * a session of K1 can change nothing, whatever a terminal slips into it.
 *
 * The order is chosen for a card that is taken away in between: K1 goes before K0, because changing K0 ends the
 * session, and a card found half done is finished and not refused. Nothing
 * is called issued before the card has proved K1.
 *
 * Whoever records this conversation of a factory card, whose keys are zero, can compute the new keys. Issue at a
 * terminal you trust.
 */
import { authenticateAes, authenticateDes, authenticateEv2First, type Random } from './authenticate.js';
import { changeKeyEv2, changeOtherKeyEv1, changeSameKeyEv1, openChannel, plainCommandEv1 } from './change-key.js';
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
import { instruction, isoSelectFile, statusWord, wrapNative } from './framing.js';
import { sameOctets, zeros } from './octets.js';

export interface IssuedKeys {
  /** 7 bytes, as the reader told it: the keys below are diversified over it. */
  readonly uid: Uint8Array;
  /** The company's application on DESFire, 3 bytes as they travel. */
  readonly desfireAid: Uint8Array;
  /** Keys for this card, by family (they are bound to the application). */
  readonly keys: Readonly<Record<'desfire' | 'ntag424', { readonly admin: Uint8Array; readonly stamp: Uint8Array }>>;
  readonly keyVersion: number;
}

export type Issue = { readonly outcome: 'issued'; readonly family: 'desfire' | 'ntag424' } | Refused;

export const adminKeyNumber = 0;
export const stampKeyNumber = 1;
/** DF name of the one application of NTAG 424 DNA (NT4H2421Gx §8.2.2). */
export const ntag424Aid: Uint8Array = Buffer.from('d2760000850101', 'hex');
/** Random bytes enough for the longest way through: at most five authentications of 16. */
export const issueRandomBytes = 96;

const zeroAes = zeros(16);
const zeroDes = zeros(8);
/** K0 changes keys and settings, nobody creates or deletes files without it; AES, two keys. */
const applicationSettings = [0x0b, 0x82];

export function issueCard(card: IssuedKeys, random: Random): Dialogue<Issue> {
  return withOutcome(issue(card, random));
}

function* issue(card: IssuedKeys, random: Random): Dialogue<Issue> {
  const family = yield* identify(card.uid);
  yield* family === 'desfire' ? issueDesfire(card, random) : issueNtag424(card, random);
  return { outcome: 'issued', family };
}

/**
 * GetVersion in three frames: what it is, and that the UID which the reader told is the card's own (a random one is
 * not).
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

function* issueDesfire({ desfireAid, keys: { desfire }, keyVersion }: IssuedKeys, random: Random): Dialogue<void> {
  const selectApplication = wrapNative(instruction.selectApplication, desfireAid);
  const selected = yield* transceive(selectApplication);
  if (selected.status === statusWord.applicationNotFound) {
    // The PICC's own key stays what it was; that it is the factory's shows that the card is nobody's.
    yield* exchange(wrapNative(instruction.selectApplication, zeros(3)), statusWord.ok, 0);
    const channel = openChannel(yield* asFactoryKey(authenticateDes(adminKeyNumber, zeroDes, random)));
    yield* plainCommandEv1(channel, instruction.createApplication, [...desfireAid, ...applicationSettings]);
    yield* exchange(selectApplication, statusWord.ok, 0);
  } else if (selected.status !== statusWord.ok) throw new CardRefused(reasonOf(selected.status));

  const found = yield* keyVersions();
  if (found.admin === 0) {
    // A key that claims to be ours has to prove it before anything more is written: another company may have been
    // interrupted here.
    if (found.stamp === keyVersion) yield* asFactoryKey(authenticateAes(stampKeyNumber, desfire.stamp, random));
    const channel = openChannel(yield* asFactoryKey(authenticateAes(adminKeyNumber, zeroAes, random)));
    if (found.stamp !== keyVersion)
      yield* changeOtherKeyEv1(
        channel,
        { keyNumber: stampKeyNumber, key: desfire.stamp, version: keyVersion },
        zeroAes,
      );
    yield* changeSameKeyEv1(channel, { keyNumber: adminKeyNumber, key: desfire.admin, version: keyVersion });
  }
  yield* asFactoryKey(authenticateAes(stampKeyNumber, desfire.stamp, random));
}

function* issueNtag424({ keys: { ntag424 }, keyVersion }: IssuedKeys, random: Random): Dialogue<void> {
  yield* exchange(isoSelectFile(ntag424Aid), statusWord.isoOk, 0);
  // Asked before anything is tried: the card counts failed authentications, and a key's version costs none.
  const found = yield* keyVersions();
  if (found.admin === 0) {
    if (found.stamp === keyVersion) yield* asFactoryKey(authenticateEv2First(stampKeyNumber, ntag424.stamp, random));
    const session = yield* asFactoryKey(authenticateEv2First(adminKeyNumber, zeroAes, random));
    let counter = 0;
    if (found.stamp !== keyVersion)
      yield* changeKeyEv2(
        session,
        counter++,
        { keyNumber: stampKeyNumber, key: ntag424.stamp, version: keyVersion },
        zeroAes,
      );
    yield* changeKeyEv2(
      session,
      counter,
      { keyNumber: adminKeyNumber, key: ntag424.admin, version: keyVersion },
      'same',
    );
  }
  yield* asFactoryKey(authenticateEv2First(stampKeyNumber, ntag424.stamp, random));
}

/** Versions of both keys: 0 is the factory's, ours are 1 and above. Tells how far an earlier conversation got. */
function* keyVersions(): Dialogue<{ readonly admin: number; readonly stamp: number }> {
  const admin = yield* exchange(wrapNative(instruction.getKeyVersion, [adminKeyNumber]), statusWord.ok, 1);
  const stamp = yield* exchange(wrapNative(instruction.getKeyVersion, [stampKeyNumber]), statusWord.ok, 1);
  return { admin: admin[0]!, stamp: stamp[0]! };
}

/** Another key than expected means that somebody else has keyed this card. */
function* asFactoryKey<Session>(authentication: Dialogue<Session>): Dialogue<Session> {
  try {
    return yield* authentication;
  } catch (error) {
    if (error instanceof CardRefused && error.reason === 'wrong_key') throw new CardRefused('not_in_factory_state');
    throw error;
  }
}
