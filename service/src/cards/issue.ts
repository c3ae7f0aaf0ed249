/**
 * Issuing: writes our keys to a card in factory state and verifies them. Each badge has two keys: K0 administers the
 * application and is used only here; K1 authenticates stamps. A session with K1 cannot change anything, whatever a
 * terminal injects.
 *
 * The order allows for a card that is taken away midway: K1 is written before K0, because changing K0 ends the session,
 * and a half-written card is completed, not refused. A badge counts as issued only after the card has proved K1.
 *
 * Someone who records this dialogue of a factory card, whose keys are zero, can compute the new keys. Issue at a
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
  /** 7 bytes, as reported by the reader: the keys below are diversified over it. */
  readonly uid: Uint8Array;
  /** The company's application on DESFire, 3 bytes as transmitted. */
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
/** Enough random bytes for the longest path: at most five authentications of 16 bytes. */
export const issueRandomBytes = 96;

const zeroAes = zeros(16);
const zeroDes = zeros(8);
/** K0 is required to change keys and settings and to create or delete files; AES, two keys. */
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

function* issueDesfire({ desfireAid, keys: { desfire }, keyVersion }: IssuedKeys, random: Random): Dialogue<void> {
  const selectApplication = wrapNative(instruction.selectApplication, desfireAid);
  const selected = yield* transceive(selectApplication);
  if (selected.status === statusWord.applicationNotFound) {
    // The PICC's own key is not changed; that it is the factory key shows that the card is not in use.
    yield* exchange(wrapNative(instruction.selectApplication, zeros(3)), statusWord.ok, 0);
    const channel = openChannel(yield* asFactoryKey(authenticateDes(adminKeyNumber, zeroDes, random)));
    yield* plainCommandEv1(channel, instruction.createApplication, [...desfireAid, ...applicationSettings]);
    yield* exchange(selectApplication, statusWord.ok, 0);
  } else if (selected.status !== statusWord.ok) throw new CardRefused(reasonOf(selected.status));

  const found = yield* keyVersions();
  if (found.admin === 0) {
    // A key with our version must authenticate before anything else is written: another company's issuing may have been
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
  // Read before any authentication: the card counts failed attempts, and reading a key's version costs none.
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

/** Versions of both keys: 0 is the factory key, ours are 1 and above. They show how far an earlier dialogue got. */
function* keyVersions(): Dialogue<{ readonly admin: number; readonly stamp: number }> {
  const admin = yield* exchange(wrapNative(instruction.getKeyVersion, [adminKeyNumber]), statusWord.ok, 1);
  const stamp = yield* exchange(wrapNative(instruction.getKeyVersion, [stampKeyNumber]), statusWord.ok, 1);
  return { admin: admin[0]!, stamp: stamp[0]! };
}

/** An unexpected key means that someone else has written keys to this card. */
function* asFactoryKey<Session>(authentication: Dialogue<Session>): Dialogue<Session> {
  try {
    return yield* authentication;
  } catch (error) {
    if (error instanceof CardRefused && error.reason === 'wrong_key') throw new CardRefused('not_in_factory_state');
    throw error;
  }
}
