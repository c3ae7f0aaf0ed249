/**
 * The reader's side of the card dialogues, for tests: it speaks to the simulated cards as a service would, and shares
 * no line with them. Written from the
 * published recordings, against which `verifier.test.ts` holds it. Each dialogue is a generator: it yields C-APDUs in
 * hexadecimal and takes R-APDUs.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';

export type Dialogue<Result> = Generator<string, Result, string>;

/** The card did not answer as it must. */
export class CardRefused extends Error {
  override readonly name = 'CardRefused';
}

/** Bytes of the reader's random number generator. */
export type Random = (length: number) => Buffer;

const zero16 = Buffer.alloc(16);
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

function aesEncrypt(key: Buffer, iv: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-128-cbc', key, iv);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

function aesDecrypt(key: Buffer, iv: Buffer, text: Buffer): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', key, iv);
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(text), decipher.final()]);
}

function desEncrypt(key: Buffer, iv: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv('des-ede3-cbc', Buffer.concat([key, key, key]), iv);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

function desDecrypt(key: Buffer, iv: Buffer, text: Buffer): Buffer {
  const decipher = createDecipheriv('des-ede3-cbc', Buffer.concat([key, key, key]), iv);
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(text), decipher.final()]);
}

const rotate = (value: Buffer): Buffer => Buffer.concat([value.subarray(1), value.subarray(0, 1)]);

/** CMAC by BigInt arithmetic. */
export function macOf(key: Buffer, message: Buffer, start: Buffer = zero16): Buffer {
  const mask = (1n << 128n) - 1n;
  const twice = (value: bigint): bigint => ((value << 1n) & mask) ^ (value >> 127n === 1n ? 0x87n : 0n);
  const k1 = twice(BigInt(`0x${aesEncrypt(key, zero16, zero16).toString('hex')}`));
  const full = message.length > 0 && message.length % 16 === 0;
  const padded = Buffer.alloc(Math.max(16, Math.ceil(message.length / 16) * 16));
  message.copy(padded);
  if (!full) padded[message.length] = 0x80;
  const tail = BigInt(`0x${padded.subarray(-16).toString('hex')}`) ^ (full ? k1 : twice(k1));
  bytes(tail.toString(16).padStart(32, '0')).copy(padded, padded.length - 16);
  return aesEncrypt(key, start, padded).subarray(-16);
}

const oddBytes = (mac: Buffer): Buffer => Buffer.from([...mac].filter((_, index) => index % 2 === 1));

/** JAMCRC by table. */
export function jamCrc(message: Buffer): Buffer {
  let sum = 0xffffffff;
  for (const byte of message) sum = (crcTable[(sum ^ byte) & 0xff]! ^ (sum >>> 8)) >>> 0;
  const out = Buffer.alloc(4);
  out.writeUInt32LE(sum);
  return out;
}
const crcTable = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let round = 0; round < 8; round += 1) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function native(instruction: number, data: Buffer = Buffer.alloc(0)): string {
  const head = [0x90, instruction, 0x00, 0x00];
  return Buffer.from(data.length === 0 ? [...head, 0x00] : [...head, data.length, ...data, 0x00]).toString('hex');
}

/** Sends one command and wants exactly this status and length. */
function* expect(apdu: string, status: string, length?: number): Dialogue<Buffer> {
  const reply = (yield apdu).toLowerCase();
  if (!reply.endsWith(status)) throw new CardRefused(`${apdu} was answered by ${reply.slice(-4)}, not by ${status}`);
  const data = bytes(reply.slice(0, -4));
  if (length !== undefined && data.length !== length)
    throw new CardRefused(`${apdu} was answered by ${data.length} bytes, not by ${length}`);
  return data;
}

export interface Ev1Session {
  readonly key: Buffer;
  readonly size: 8 | 16;
  iv: Buffer;
}

/** AuthenticateAES. */
export function* authenticateAes(keyNumber: number, key: Buffer, random: Random): Dialogue<Ev1Session> {
  const challenge = yield* expect(native(0xaa, Buffer.from([keyNumber])), '91af', 16);
  const rndB = aesDecrypt(key, zero16, challenge);
  const rndA = random(16);
  const token = aesEncrypt(key, challenge, Buffer.concat([rndA, rotate(rndB)]));
  const answer = yield* expect(native(0xaf, token), '9100', 16);
  if (!aesDecrypt(key, token.subarray(16), answer).equals(rotate(rndA))) throw new CardRefused('RndA came back wrong');
  return {
    key: Buffer.concat([rndA.subarray(0, 4), rndB.subarray(0, 4), rndA.subarray(12), rndB.subarray(12)]),
    size: 16,
    iv: zero16,
  };
}

/** AuthenticateISO with the DES key of zeros. */
export function* authenticateFactoryDes(random: Random): Dialogue<Ev1Session> {
  const key = Buffer.alloc(8);
  const challenge = yield* expect('901a0000010000', '91af', 8);
  const rndB = desDecrypt(key, Buffer.alloc(8), challenge);
  const rndA = random(8);
  const token = desEncrypt(key, challenge, Buffer.concat([rndA, rotate(rndB)]));
  const answer = yield* expect(native(0xaf, token), '9100', 8);
  if (!desDecrypt(key, token.subarray(8), answer).equals(rotate(rndA))) throw new CardRefused('RndA came back wrong');
  return { key: Buffer.concat([rndA.subarray(0, 4), rndB.subarray(0, 4)]), size: 8, iv: Buffer.alloc(8) };
}

/** The MAC of an answer in an EV1 session with AES; the session's IV moves. */
function checkEv1Mac(session: Ev1Session, answer: Buffer): Buffer {
  const data = answer.subarray(0, -8);
  session.iv = macOf(session.key, Buffer.concat([data, Buffer.from([0])]), session.iv);
  if (!session.iv.subarray(0, 8).equals(answer.subarray(-8))) throw new CardRefused('the MAC of the answer is wrong');
  return data;
}

/** GetKeyVersion in an EV1 session. */
export function* keyVersionEv1(session: Ev1Session, keyNumber: number): Dialogue<number> {
  session.iv = macOf(session.key, Buffer.from([0x64, keyNumber]), session.iv);
  return checkEv1Mac(session, yield* expect(native(0x64, Buffer.from([keyNumber])), '9100', 9))[0]!;
}

/** GetCardUID in an EV1 session. */
export function* cardUidEv1(session: Ev1Session): Dialogue<Buffer> {
  session.iv = macOf(session.key, Buffer.from([0x51]), session.iv);
  const cipher = yield* expect(native(0x51), '9100', 16);
  const plain = aesDecrypt(session.key, session.iv, cipher);
  session.iv = cipher;
  const uid = plain.subarray(0, 7);
  if (!plain.subarray(7, 11).equals(jamCrc(Buffer.concat([uid, Buffer.from([0])]))))
    throw new CardRefused('the checksum of the UID is wrong');
  return uid;
}

/**
 * ChangeKey in an EV1 session; `old` if it is another key than the authenticated one. `sentNumber` carries the type
 * bits at card level.
 */
export function* changeKeyEv1(
  session: Ev1Session,
  sentNumber: number,
  key: Buffer,
  version: number,
  old?: Buffer,
): Dialogue<void> {
  const body = Buffer.concat([
    old === undefined ? key : Buffer.from(key.map((byte, index) => byte ^ old[index]!)),
    Buffer.from([version]),
  ]);
  const sums = [
    jamCrc(Buffer.concat([Buffer.from([0xc4, sentNumber]), body])),
    ...(old === undefined ? [] : [jamCrc(key)]),
  ];
  const content = Buffer.concat([body, ...sums]);
  const plain = Buffer.concat([content, Buffer.alloc((session.size - (content.length % session.size)) % session.size)]);
  const encrypt = session.size === 16 ? aesEncrypt : desEncrypt;
  const cryptogram = encrypt(session.key, session.iv, plain);
  session.iv = cryptogram.subarray(-session.size);
  const answer = yield* expect(
    native(0xc4, Buffer.concat([Buffer.from([sentNumber]), cryptogram])),
    '9100',
    old === undefined ? 0 : 8,
  );
  if (old !== undefined) checkEv1Mac(session, answer);
}

export interface Ev2Session {
  readonly encryption: Buffer;
  readonly mac: Buffer;
  readonly transaction: Buffer;
  counter: number;
}

/** AuthenticateEV2First. */
export function* authenticateEv2(keyNumber: number, key: Buffer, random: Random): Dialogue<Ev2Session> {
  const challenge = yield* expect(native(0x71, Buffer.from([keyNumber, 0])), '91af', 16);
  const rndB = aesDecrypt(key, zero16, challenge);
  const rndA = random(16);
  const answer = yield* expect(native(0xaf, aesEncrypt(key, zero16, Buffer.concat([rndA, rotate(rndB)]))), '9100', 32);
  const plain = aesDecrypt(key, zero16, answer);
  if (!plain.subarray(4, 20).equals(rotate(rndA))) throw new CardRefused('RndA came back wrong');
  const mixed = Buffer.from(rndA.subarray(2, 8).map((byte, index) => byte ^ rndB[index]!));
  const context = Buffer.concat([rndA.subarray(0, 2), mixed, rndB.subarray(6), rndA.subarray(8)]);
  return {
    encryption: macOf(key, Buffer.concat([bytes('a55a00010080'), context])),
    mac: macOf(key, Buffer.concat([bytes('5aa500010080'), context])),
    transaction: plain.subarray(0, 4),
    counter: 0,
  };
}

function counterOf(session: Ev2Session): Buffer {
  const counter = Buffer.alloc(2);
  counter.writeUInt16LE(session.counter);
  return counter;
}

function ev2Mac(session: Ev2Session, first: number, body: Buffer): Buffer {
  return oddBytes(
    macOf(session.mac, Buffer.concat([Buffer.from([first]), counterOf(session), session.transaction, body])),
  );
}

function ev2Iv(session: Ev2Session, label: string): Buffer {
  return aesEncrypt(
    session.encryption,
    zero16,
    Buffer.concat([bytes(label), session.transaction, counterOf(session), Buffer.alloc(8)]),
  );
}

/** A command in MAC mode. */
export function* inMacMode(session: Ev2Session, instruction: number, parameters: Buffer): Dialogue<Buffer> {
  const answer = yield* expect(
    native(instruction, Buffer.concat([parameters, ev2Mac(session, instruction, parameters)])),
    '9100',
  );
  session.counter += 1;
  const data = answer.subarray(0, -8);
  if (!ev2Mac(session, 0x00, data).equals(answer.subarray(-8))) throw new CardRefused('the MAC of the answer is wrong');
  return data;
}

/** GetCardUID in an EV2 session. */
export function* cardUidEv2(session: Ev2Session): Dialogue<Buffer> {
  const cipher = yield* inMacMode(session, 0x51, Buffer.alloc(0));
  const plain = aesDecrypt(session.encryption, ev2Iv(session, '5aa5'), cipher);
  if (plain.subarray(7).toString('hex') !== '800000000000000000')
    throw new CardRefused('the padding of the UID is wrong');
  return plain.subarray(0, 7);
}

/** ChangeKey in an EV2 session; `old` if it is another key than the authenticated one. */
export function* changeKeyEv2(
  session: Ev2Session,
  keyNumber: number,
  key: Buffer,
  version: number,
  old?: Buffer,
): Dialogue<void> {
  const content =
    old === undefined
      ? Buffer.concat([key, Buffer.from([version])])
      : Buffer.concat([Buffer.from(key.map((byte, index) => byte ^ old[index]!)), Buffer.from([version]), jamCrc(key)]);
  const plain = Buffer.alloc(32);
  content.copy(plain);
  plain[content.length] = 0x80;
  const cipher = aesEncrypt(session.encryption, ev2Iv(session, 'a55a'), plain);
  const parameters = Buffer.concat([Buffer.from([keyNumber]), cipher]);
  const answer = yield* expect(
    native(0xc4, Buffer.concat([parameters, ev2Mac(session, 0xc4, parameters)])),
    '9100',
    old === undefined ? 0 : 8,
  );
  session.counter += 1;
  if (old !== undefined && !ev2Mac(session, 0x00, Buffer.alloc(0)).equals(answer))
    throw new CardRefused('the MAC of the answer is wrong');
}

export interface BadgeKeys {
  /** Application on DESFire, three bytes as they travel. */
  readonly aid: Buffer;
  readonly admin: Buffer;
  readonly stamp: Buffer;
  readonly version: number;
}

/** The stamp on a DESFire badge: three commands. */
export function* proveDesfire(keys: BadgeKeys, random: Random): Dialogue<Ev1Session> {
  yield* expect(native(0x5a, keys.aid), '9100', 0);
  return yield* authenticateAes(1, keys.stamp, random);
}

/** Makes a badge of a DESFire in factory state; K1 before K0, because changing K0 ends the session. */
export function* issueDesfire(keys: BadgeKeys, random: Random): Dialogue<void> {
  yield* expect(native(0x60), '91af', 7);
  yield* expect(native(0xaf), '91af', 7);
  yield* expect(native(0xaf), '9100', 14);
  yield* expect(native(0x5a, Buffer.alloc(3)), '9100', 0);
  yield* authenticateFactoryDes(random);
  // The answer carries a DES-CMAC that nothing depends on.
  yield* expect(native(0xca, Buffer.concat([keys.aid, bytes('0b82')])), '9100', 8);
  yield* expect(native(0x5a, keys.aid), '9100', 0);
  const session = yield* authenticateAes(0, zero16, random);
  yield* changeKeyEv1(session, 1, keys.stamp, keys.version, zero16);
  yield* changeKeyEv1(session, 0, keys.admin, keys.version);
  yield* authenticateAes(1, keys.stamp, random);
}

const selectNtag = '00a4040007d276000085010100';

/** The stamp on an NTAG 424 DNA badge: three commands. */
export function* proveNtag(keys: BadgeKeys, random: Random): Dialogue<Ev2Session> {
  yield* expect(selectNtag, '9000', 0);
  return yield* authenticateEv2(1, keys.stamp, random);
}

/** Makes a badge of an NTAG 424 DNA in factory state. */
export function* issueNtag(keys: BadgeKeys, random: Random): Dialogue<void> {
  yield* expect(native(0x60), '91af', 7);
  yield* expect(native(0xaf), '91af', 7);
  yield* expect(native(0xaf), '9100', 14);
  yield* expect(selectNtag, '9000', 0);
  const session = yield* authenticateEv2(0, zero16, random);
  yield* changeKeyEv2(session, 1, keys.stamp, keys.version, zero16);
  yield* changeKeyEv2(session, 0, keys.admin, keys.version);
  yield* authenticateEv2(1, keys.stamp, random);
}

/** Runs a dialogue against something that answers at once, such as a simulated card. */
export function run<Result>(dialogue: Dialogue<Result>, card: (command: Uint8Array) => Uint8Array): Result {
  let step = dialogue.next();
  while (step.done !== true) step = dialogue.next(Buffer.from(card(bytes(step.value))).toString('hex'));
  return step.value;
}

/** Random numbers that were written down beforehand, in order. */
export function scripted(...values: readonly string[]): Random {
  const left = [...values];
  return (length) => {
    const value = bytes(left.shift() ?? '');
    if (value.length !== length) throw new Error(`wanted ${length} random bytes, the script has ${value.length}`);
    return value;
  };
}
