/**
 * The reader's side of the card dialogues, for tests: the service's own, which shares no line with the simulated cards.
 * A dialogue is a generator that yields C-APDUs and takes R-APDUs, both in hexadecimal.
 */
import {
  authenticateAes as aesDialogue,
  authenticateDes,
  authenticateEv2First,
  type Ev2Session as Ev2Keys,
} from '../../service/src/terminals/cards/authenticate.js';
import { aes128 } from '../../service/src/terminals/cards/block-cipher.js';
import {
  changeOtherKeyEv1,
  changeSameKeyEv1,
  type Ev1Channel,
  changeKeyEv2 as ev2ChangeDialogue,
  ev2Mac,
  openChannel,
} from '../../service/src/terminals/cards/change-key.js';
import { cmac } from '../../service/src/terminals/cards/cmac.js';
import { crc32 } from '../../service/src/terminals/cards/crc32.js';
import {
  CardRefused as Refused,
  type Dialogue as ServiceDialogue,
} from '../../service/src/terminals/cards/dialogue.js';
import { isoSelectFile, wrapNative } from '../../service/src/terminals/cards/framing.js';
import { octets, sameOctets, zeros } from '../../service/src/terminals/cards/octets.js';
import { ntag424Aid } from '../../service/src/terminals/cards/write-keys.js';

export type Dialogue<Result> = Generator<string, Result, string>;

/** The card did not answer as it must. */
export class CardRefused extends Error {
  override readonly name = 'CardRefused';
}

/** Bytes of the reader's random number generator. */
export type Random = (length: number) => Buffer;

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
const hexOf = (octetsOf: Uint8Array): string => Buffer.from(octetsOf).toString('hex');

/** A dialogue of the service, in hexadecimal; a refusal says which answer it is about. */
function* inHex<Result>(dialogue: ServiceDialogue<Result>): Dialogue<Result> {
  let command = '';
  let reply = '';
  try {
    let step = dialogue.next();
    while (step.done !== true) {
      command = hexOf(step.value);
      reply = yield command;
      step = dialogue.next(bytes(reply));
    }
    return step.value;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new CardRefused(`${command} was answered by ${reply.slice(-4)} (${error.reason})`);
  }
}

/** Sends one command and wants exactly this status and length. */
function* expect(command: Uint8Array, status: string, length?: number): Dialogue<Buffer> {
  const apdu = hexOf(command);
  const reply = (yield apdu).toLowerCase();
  const data = bytes(reply.slice(0, -4));
  if (!reply.endsWith(status) || (length !== undefined && data.length !== length))
    throw new CardRefused(`${apdu} was answered by ${reply.slice(-4)} (${data.length} bytes)`);
  return data;
}

export function* authenticateAes(keyNumber: number, key: Buffer, random: Random): Dialogue<Ev1Channel> {
  return openChannel(yield* inHex(aesDialogue(keyNumber, key, random)));
}

/** AuthenticateISO with the DES key of zeros. */
export function* authenticateFactoryDes(random: Random): Dialogue<Ev1Channel> {
  return openChannel(yield* inHex(authenticateDes(0, zeros(8), random)));
}

/** GetKeyVersion in an EV1 session. */
export function* keyVersionEv1(channel: Ev1Channel, keyNumber: number): Dialogue<number> {
  channel.iv = cmac(channel.cipher, channel.key, Uint8Array.of(0x64, keyNumber), channel.iv);
  const answer = yield* expect(wrapNative(0x64, [keyNumber]), '9100', 9);
  channel.iv = cmac(channel.cipher, channel.key, octets(answer.subarray(0, 1), [0x00]), channel.iv);
  if (!sameOctets(channel.iv.subarray(0, 8), answer.subarray(1))) throw new CardRefused('the MAC is wrong');
  return answer[0]!;
}

/** GetCardUID in an EV1 session. */
export function* cardUidEv1(channel: Ev1Channel): Dialogue<Buffer> {
  channel.iv = cmac(channel.cipher, channel.key, Uint8Array.of(0x51), channel.iv);
  const cryptogram = yield* expect(wrapNative(0x51), '9100', 16);
  const plaintext = Buffer.from(channel.cipher.decrypt(channel.key, channel.iv, cryptogram));
  channel.iv = cryptogram;
  const uid = plaintext.subarray(0, 7);
  if (!sameOctets(plaintext.subarray(7, 11), crc32(octets(uid, [0x00]))))
    throw new CardRefused('the checksum is wrong');
  return uid;
}

/** ChangeKey in an EV1 session; `old` if it is another key than the authenticated one. */
export function changeKeyEv1(
  channel: Ev1Channel,
  keyNumber: number,
  key: Uint8Array,
  version: number,
  oldKey?: Uint8Array,
): Dialogue<void> {
  const change = { keyNumber, key, version };
  return inHex(oldKey === undefined ? changeSameKeyEv1(channel, change) : changeOtherKeyEv1(channel, change, oldKey));
}

export interface Ev2Session extends Ev2Keys {
  /** Commands sent so far. */
  counter: number;
}

export function* authenticateEv2(keyNumber: number, key: Buffer, random: Random): Dialogue<Ev2Session> {
  return { ...(yield* inHex(authenticateEv2First(keyNumber, key, random))), counter: 0 };
}

const position = ({ counter, ti }: Ev2Session) => octets([counter & 0xff, counter >> 8], ti);

/** A command in MAC mode. */
export function* inMacMode(session: Ev2Session, instruction: number, parameters: Buffer): Dialogue<Buffer> {
  const mac = ev2Mac(session, octets([instruction], position(session), parameters));
  const answer = yield* expect(wrapNative(instruction, octets(parameters, mac)), '9100');
  session.counter += 1;
  const data = answer.subarray(0, -8);
  if (!sameOctets(ev2Mac(session, octets([0x00], position(session), data)), answer.subarray(-8)))
    throw new CardRefused('the MAC is wrong');
  return data;
}

/** GetCardUID in an EV2 session. */
export function* cardUidEv2(session: Ev2Session): Dialogue<Buffer> {
  const cryptogram = yield* inMacMode(session, 0x51, Buffer.alloc(0));
  const start = octets([0x5a, 0xa5], session.ti, position(session).subarray(0, 2), zeros(8));
  const iv = aes128.encrypt(session.encryptionKey, zeros(16), start);
  const plaintext = Buffer.from(aes128.decrypt(session.encryptionKey, iv, cryptogram));
  if (plaintext.subarray(7).toString('hex') !== '800000000000000000') throw new CardRefused('the padding is wrong');
  return plaintext.subarray(0, 7);
}

/** ChangeKey in an EV2 session; `old` if it is another key than the authenticated one. */
export function* changeKeyEv2(
  session: Ev2Session,
  keyNumber: number,
  key: Uint8Array,
  version: number,
  oldKey?: Uint8Array,
): Dialogue<void> {
  yield* inHex(ev2ChangeDialogue(session, session.counter, { keyNumber, key, version }, oldKey ?? 'same'));
  session.counter += 1;
}

export interface BadgeKeys {
  /** Application on DESFire, three bytes as they travel. */
  readonly aid: Buffer;
  readonly admin: Buffer;
  readonly stamp: Buffer;
  readonly version: number;
}

/** The stamp on a DESFire badge: three commands. */
export function* proveDesfire(keys: BadgeKeys, random: Random): Dialogue<void> {
  yield* expect(wrapNative(0x5a, keys.aid), '9100', 0);
  yield* authenticateAes(1, keys.stamp, random);
}

function* readVersion(): Dialogue<void> {
  yield* expect(wrapNative(0x60), '91af', 7);
  yield* expect(wrapNative(0xaf), '91af', 7);
  yield* expect(wrapNative(0xaf), '9100', 14);
}

/** Makes a badge of a DESFire in factory state; K1 before K0, because changing K0 ends the session. */
export function* issueDesfire(keys: BadgeKeys, random: Random): Dialogue<void> {
  yield* readVersion();
  yield* expect(wrapNative(0x5a, zeros(3)), '9100', 0);
  yield* authenticateFactoryDes(random);
  // Nothing depends on the MAC of the answer.
  yield* expect(wrapNative(0xca, octets(keys.aid, [0x0b, 0x82])), '9100', 8);
  yield* expect(wrapNative(0x5a, keys.aid), '9100', 0);
  const channel = yield* authenticateAes(0, Buffer.alloc(16), random);
  yield* changeKeyEv1(channel, 1, keys.stamp, keys.version, zeros(16));
  yield* changeKeyEv1(channel, 0, keys.admin, keys.version);
  yield* authenticateAes(1, keys.stamp, random);
}

/** The stamp on an NTAG 424 DNA badge: three commands. */
export function* proveNtag(keys: BadgeKeys, random: Random): Dialogue<void> {
  yield* expect(isoSelectFile(ntag424Aid), '9000', 0);
  yield* authenticateEv2(1, keys.stamp, random);
}

/** Makes a badge of an NTAG 424 DNA in factory state. */
export function* issueNtag(keys: BadgeKeys, random: Random): Dialogue<void> {
  yield* readVersion();
  yield* expect(isoSelectFile(ntag424Aid), '9000', 0);
  const session = yield* authenticateEv2(0, Buffer.alloc(16), random);
  yield* changeKeyEv2(session, 1, keys.stamp, keys.version, zeros(16));
  yield* changeKeyEv2(session, 0, keys.admin, keys.version);
  yield* authenticateEv2(1, keys.stamp, random);
}

/** Runs a dialogue against a card that answers at once. */
export function run<Result>(dialogue: Dialogue<Result>, card: (command: Uint8Array) => Uint8Array): Result {
  let step = dialogue.next();
  while (step.done !== true) step = dialogue.next(hexOf(card(bytes(step.value))));
  return step.value;
}
