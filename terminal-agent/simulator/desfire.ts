import { type CardKey, cipherOf, ev1Challenge, ev1Respond, ev2Respond, zeroKey } from './authentication.js';
import { isEqual, join, toHex } from './bytes.js';
import { openEv1Channel } from './ev1-channel.js';
import { openEv2Channel } from './ev2-channel.js';
import {
  type Answer,
  inFrames,
  type RandomBytes,
  requireLength,
  runNativeCard,
  type SimulatedCard,
} from './native-card.js';
import { changedKey, encipheredUid, inTheClear, type Session } from './session.js';
import { CardError, Status } from './status.js';

export type DesfireGeneration = 'ev1' | 'ev2' | 'ev3';

export interface DesfireApplication {
  /** Three bytes as they travel. */
  readonly aid: Uint8Array;
  settings: number;
  readonly type: CardKey['type'];
  readonly keys: CardKey[];
}

/** The state that a DESFire card keeps without power. */
export interface DesfireMemory {
  readonly generation: DesfireGeneration;
  /** 7 bytes. */
  readonly uid: Uint8Array;
  /** The seven bytes behind the UID in GetVersion: batch (5), week, year. */
  readonly production: Uint8Array;
  settings: number;
  key: CardKey;
  readonly applications: DesfireApplication[];
}

export interface SimulatedDesfire extends SimulatedCard {
  readonly memory: DesfireMemory;
}

const picc = Uint8Array.of(0, 0, 0);
const maximumApplications = 28;

/** GetVersion, hardware and software part of cards with 8 KB. */
const versions: Readonly<Record<DesfireGeneration, readonly number[]>> = {
  ev1: [0x04, 0x01, 0x01, 0x01, 0x00, 0x1a, 0x05, 0x04, 0x01, 0x01, 0x01, 0x04, 0x1a, 0x05],
  ev2: [0x04, 0x01, 0x01, 0x12, 0x00, 0x1a, 0x05, 0x04, 0x01, 0x01, 0x02, 0x01, 0x1a, 0x05],
  ev3: [0x04, 0x01, 0x01, 0x33, 0x00, 0x1a, 0x05, 0x04, 0x01, 0x01, 0x03, 0x00, 0x1a, 0x05],
};

/** DF name of the card level, for ISO SELECT. */
const cardLevelName = 'd2760000850100';

/** As it leaves the factory: a DES key of zeros at card level, no applications, everyone may create one. */
export function factoryDesfire(uid: Uint8Array, generation: DesfireGeneration, production: Uint8Array): DesfireMemory {
  return {
    generation,
    uid: requireLength(uid, 7),
    production: requireLength(production, 7),
    settings: 0x0f,
    key: zeroKey('des'),
    applications: [],
  };
}

/** A card with power: its kept state, and the state of the conversation. */
interface PoweredCard {
  readonly memory: DesfireMemory;
  selected: DesfireApplication | undefined;
  session: Session | undefined;
}

type Command = (card: PoweredCard, data: Uint8Array, random: RandomBytes) => Answer;

function keyOf({ memory, selected }: PoweredCard, number: number): CardKey {
  const key = selected === undefined ? (number === 0 ? memory.key : undefined) : selected.keys[number];
  if (key === undefined) throw new CardError(Status.noSuchKey);
  return key;
}

const settingsOf = ({ memory, selected }: PoweredCard): number => selected?.settings ?? memory.settings;
const isMaster = ({ session }: PoweredCard): boolean => session?.keyNumber === 0;

function find({ memory }: PoweredCard, aid: Uint8Array): DesfireApplication | undefined {
  return memory.applications.find((application) => isEqual(application.aid, aid));
}

function leave(card: PoweredCard, target: DesfireApplication | undefined): void {
  card.session = undefined;
  card.selected = target;
}

function demand(condition: boolean, status: Status): void {
  if (!condition) throw new CardError(status);
}

/** A command whose parameters travel in the clear. */
const plain =
  (instruction: number, run: (card: PoweredCard, parameters: Uint8Array) => Uint8Array): Command =>
  (card, data) => ({ data: inTheClear(card.session, instruction, data, (parameters) => run(card, parameters)) });

const getVersion: Command = (card, data) =>
  inFrames(
    inTheClear(card.session, 0x60, data, (empty) => {
      requireLength(empty, 0);
      return join(versions[card.memory.generation], card.memory.uid, card.memory.production);
    }),
    7,
    7,
  );

const getApplicationIds: Command = (card, data) =>
  inFrames(
    inTheClear(card.session, 0x6a, data, (empty) => {
      requireLength(empty, 0);
      demand(card.selected === undefined, Status.permissionDenied);
      demand((settingsOf(card) & 0x02) !== 0 || isMaster(card), Status.authenticationError);
      return join(...card.memory.applications.map(({ aid }) => aid));
    }),
    57,
  );

function getKeySettings(card: PoweredCard, empty: Uint8Array): Uint8Array {
  requireLength(empty, 0);
  demand((settingsOf(card) & 0x02) !== 0 || isMaster(card), Status.authenticationError);
  const type = card.selected?.type ?? card.memory.key.type;
  return Uint8Array.of(settingsOf(card), (type === 'aes' ? 0x80 : 0x00) | (card.selected?.keys.length ?? 1));
}

function createApplication(card: PoweredCard, data: Uint8Array): Uint8Array {
  const [, , , rights = 0, layout = 0] = requireLength(data, 5);
  const aid = data.slice(0, 3);
  demand(card.selected === undefined, Status.permissionDenied);
  demand((card.memory.settings & 0x04) !== 0 || isMaster(card), Status.authenticationError);
  const count = layout & 0x0f;
  // Bits 7 and 6 are the key type (three-key triple DES, 01, is not simulated), bit 5 asks for ISO file identifiers.
  demand((layout & 0x60) === 0 && count >= 1 && count <= 14 && !isEqual(aid, picc), Status.parameterError);
  demand(find(card, aid) === undefined, Status.duplicate);
  demand(card.memory.applications.length < maximumApplications, Status.countError);
  const type = (layout & 0x80) !== 0 ? 'aes' : 'des';
  card.memory.applications.push({
    aid,
    settings: rights,
    type,
    keys: Array.from({ length: count }, () => zeroKey(type)),
  });
  return new Uint8Array();
}

function deleteApplication(card: PoweredCard, data: Uint8Array): Answer {
  let isOwn = false;
  const answer = inTheClear(card.session, 0xda, data, (aid) => {
    const application = find(card, requireLength(aid, 3));
    if (application === undefined) throw new CardError(Status.applicationNotFound);
    isOwn = application === card.selected;
    demand(
      isMaster(card) && (card.selected === undefined || (isOwn && (card.memory.settings & 0x04) !== 0)),
      Status.authenticationError,
    );
    card.memory.applications.splice(card.memory.applications.indexOf(application), 1);
    return new Uint8Array();
  });
  if (isOwn) leave(card, undefined);
  return { data: answer };
}

function formatPicc(card: PoweredCard, empty: Uint8Array): Uint8Array {
  requireLength(empty, 0);
  demand(card.selected === undefined && isMaster(card), Status.authenticationError);
  card.memory.applications.length = 0;
  return new Uint8Array();
}

function selectApplication(card: PoweredCard, data: Uint8Array): Answer {
  card.session = undefined;
  const target = find(card, requireLength(data, 3));
  if (target === undefined && !isEqual(data, picc)) throw new CardError(Status.applicationNotFound);
  leave(card, target);
  return { data: new Uint8Array() };
}

const authenticateEv1 =
  (type: CardKey['type']): Command =>
  (card, data, random) => {
    card.session = undefined;
    const [keyNumber = 0] = requireLength(data, 1);
    const key = keyOf(card, keyNumber);
    demand(key.type === type, Status.authenticationError);
    const { blockSize } = cipherOf(key);
    const rndB = random(blockSize);
    return {
      data: ev1Challenge(key, rndB),
      next(token) {
        const proof = ev1Respond(key, rndB, requireLength(token, 2 * blockSize));
        if (proof === undefined) throw new CardError(Status.authenticationError);
        card.session = { kind: 'ev1', keyNumber, blockSize, channel: openEv1Channel(proof.session) };
        return { data: proof.answer };
      },
    };
  };

const authenticateEv2First: Command = (card, data, random) => {
  card.session = undefined;
  const [keyNumber = 0, length = 0] = data;
  demand(data.length >= 2 && length <= 6 && data.length === 2 + length, Status.lengthError);
  const capabilities = join(data.subarray(2), new Uint8Array(6 - length));
  const key = keyOf(card, keyNumber);
  demand(key.type === 'aes', Status.authenticationError);
  const rndB = random(16);
  return {
    data: ev1Challenge(key, rndB),
    next(token) {
      const transaction = random(4);
      const proof = ev2Respond(key, rndB, transaction, capabilities, requireLength(token, 32));
      if (proof === undefined) throw new CardError(Status.authenticationError);
      card.session = { kind: 'ev2', keyNumber, channel: openEv2Channel(proof.keys, transaction) };
      return { data: proof.answer };
    },
  };
};

function changeKey(card: PoweredCard, data: Uint8Array): Answer {
  const current = card.session;
  const [keyByte] = data;
  demand(keyByte !== undefined, Status.lengthError);
  if (current === undefined) throw new CardError(Status.authenticationError);
  const atCardLevel = card.selected === undefined;
  const number = keyByte! & (atCardLevel ? 0x3f : 0xff);
  const oldKey = keyOf(card, number);
  demand((keyByte! & 0x40) === 0 || !atCardLevel, Status.parameterError);
  demand(mayChange(card, number, current), Status.authenticationError);
  const isOwn = number === current.keyNumber;
  const type = atCardLevel ? ((keyByte! & 0x80) !== 0 ? 'aes' : 'des') : oldKey.type;
  const { key: newKey, answer } = changedKey(current, data, {
    keyNumber: keyByte!,
    type,
    ...(isOwn ? {} : { other: oldKey }),
  });
  if (card.selected === undefined) card.memory.key = newKey;
  else card.selected.keys[number] = newKey;
  if (isOwn) card.session = undefined;
  return { data: answer };
}

/**
 * Upper half of the settings: 0 to D name the key that changes keys, E means each its own, F none but the master. The
 * master key obeys bit 0.
 */
function mayChange(card: PoweredCard, number: number, by: Session): boolean {
  if (number === 0) return by.keyNumber === 0 && (settingsOf(card) & 0x01) !== 0;
  const changer = settingsOf(card) >>> 4;
  return changer === 0x0e ? by.keyNumber === number : changer !== 0x0f && by.keyNumber === changer;
}

const commands: readonly (readonly [number, Command])[] = [
  [0x60, getVersion],
  [0x5a, selectApplication],
  [0x6a, getApplicationIds],
  [0x45, plain(0x45, getKeySettings)],
  [0x64, plain(0x64, (card, data) => Uint8Array.of(keyOf(card, requireLength(data, 1)[0]!).version))],
  [0xca, plain(0xca, createApplication)],
  [0xda, deleteApplication],
  [0xfc, plain(0xfc, formatPicc)],
  [0xaa, authenticateEv1('aes')],
  [0x1a, authenticateEv1('des')],
  [0xc4, changeKey],
  [0x51, (card, data) => ({ data: encipheredUid(card.session, data, card.memory.uid) })],
];
/** From EV2 on. */
const laterCommands: typeof commands = [[0x71, authenticateEv2First]];

/**
 * A DESFire EV1, EV2 or EV3 as far as badges need it: version, applications and their keys, the authentications ISO
 * (DES), AES and, from EV2 on, EV2First, with both secure channels. No files, no three-key triple DES, no legacy
 * authentication 0A, no SetConfiguration.
 *
 * The memory is changed in place; to keep it, store it after an APDU.
 */
export function simulateDesfire(memory: DesfireMemory, random: RandomBytes): SimulatedDesfire {
  const card: PoweredCard = { memory, selected: undefined, session: undefined };
  const supportedCommands = memory.generation === 'ev1' ? commands : [...commands, ...laterCommands];
  return {
    memory,
    ...runNativeCard({
      uid: memory.uid,
      commands: new Map(supportedCommands.map(([code, run]) => [code, (data: Uint8Array) => run(card, data, random)])),
      select(_p1, _p2, name) {
        leave(card, undefined);
        return toHex(name) === cardLevelName ? 0x9000 : 0x6a82;
      },
      endSession() {
        card.session = undefined;
      },
      powerUp() {
        leave(card, undefined);
      },
    }),
  };
}
