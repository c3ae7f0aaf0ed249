import { type CardKey, cipherOf, ev1Challenge, ev1Respond, ev2Respond, zeroKey } from './authentication.js';
import { join, same, toHex } from './bytes.js';
import { openEv1Channel } from './ev1-channel.js';
import { openEv2Channel } from './ev2-channel.js';
import { type Answer, exactly, inFrames, type RandomBytes, runNativeCard, type SimulatedCard } from './native-card.js';
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

/** What a DESFire card keeps without power. */
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
    uid: exactly(uid, 7),
    production: exactly(production, 7),
    settings: 0x0f,
    key: zeroKey('des'),
    applications: [],
  };
}

/**
 * A DESFire EV1, EV2 or EV3 as far as badges need it: version, applications and their keys, the authentications ISO
 * (DES), AES and, from EV2 on, EV2First,
 * with both secure channels. No files, no three-key triple DES, no legacy authentication 0A, no SetConfiguration.
 *
 * The memory is changed in place; to keep it, store it after an APDU.
 */
export function simulateDesfire(memory: DesfireMemory, random: RandomBytes): SimulatedDesfire {
  let selected: DesfireApplication | undefined;
  let session: Session | undefined;

  const key = (number: number): CardKey => {
    const found = selected === undefined ? (number === 0 ? memory.key : undefined) : selected.keys[number];
    if (found === undefined) throw new CardError(Status.noSuchKey);
    return found;
  };
  const settings = (): number => selected?.settings ?? memory.settings;
  const isMaster = (): boolean => session?.keyNumber === 0;
  const demand = (condition: boolean, status: Status): void => {
    if (!condition) throw new CardError(status);
  };
  const protect =
    (instruction: number, run: (parameters: Uint8Array) => Uint8Array) =>
    (data: Uint8Array): Uint8Array =>
      inTheClear(session, instruction, data, run);
  const command = (instruction: number, run: (parameters: Uint8Array) => Uint8Array) =>
    [instruction, (data: Uint8Array): Answer => ({ data: protect(instruction, run)(data) })] as const;

  const getVersion = (data: Uint8Array): Answer =>
    inFrames(
      protect(0x60, (none) => {
        exactly(none, 0);
        return join(versions[memory.generation], memory.uid, memory.production);
      })(data),
      7,
      7,
    );

  const getApplicationIds = (data: Uint8Array): Answer => {
    const ids = protect(0x6a, (none) => {
      exactly(none, 0);
      demand(selected === undefined, Status.permissionDenied);
      demand((settings() & 0x02) !== 0 || isMaster(), Status.authenticationError);
      return join(...memory.applications.map(({ aid }) => aid));
    });
    return inFrames(ids(data), 57);
  };

  const getKeySettings = (none: Uint8Array): Uint8Array => {
    exactly(none, 0);
    demand((settings() & 0x02) !== 0 || isMaster(), Status.authenticationError);
    const type = selected?.type ?? memory.key.type;
    return Uint8Array.of(settings(), (type === 'aes' ? 0x80 : 0x00) | (selected?.keys.length ?? 1));
  };

  const createApplication = (data: Uint8Array): Uint8Array => {
    const [, , , rights = 0, layout = 0] = exactly(data, 5);
    const aid = data.slice(0, 3);
    demand(selected === undefined, Status.permissionDenied);
    demand((memory.settings & 0x04) !== 0 || isMaster(), Status.authenticationError);
    const count = layout & 0x0f;
    // Bits 7 and 6 are the key type (three-key triple DES, 01, is not simulated), bit 5 asks for ISO file identifiers.
    demand((layout & 0x60) === 0 && count >= 1 && count <= 14 && !same(aid, picc), Status.parameterError);
    demand(find(aid) === undefined, Status.duplicate);
    demand(memory.applications.length < maximumApplications, Status.countError);
    const type = (layout & 0x80) !== 0 ? 'aes' : 'des';
    memory.applications.push({ aid, settings: rights, type, keys: Array.from({ length: count }, () => zeroKey(type)) });
    return new Uint8Array();
  };

  const deleteApplication = (data: Uint8Array): Answer => {
    let own = false;
    const answer = protect(0xda, (aid) => {
      const application = find(exactly(aid, 3));
      if (application === undefined) throw new CardError(Status.applicationNotFound);
      own = application === selected;
      demand(
        isMaster() && (selected === undefined || (own && (memory.settings & 0x04) !== 0)),
        Status.authenticationError,
      );
      memory.applications.splice(memory.applications.indexOf(application), 1);
      return new Uint8Array();
    })(data);
    if (own) leave(undefined);
    return { data: answer };
  };

  const formatPicc = (none: Uint8Array): Uint8Array => {
    exactly(none, 0);
    demand(selected === undefined && isMaster(), Status.authenticationError);
    memory.applications.length = 0;
    return new Uint8Array();
  };

  const find = (aid: Uint8Array): DesfireApplication | undefined =>
    memory.applications.find((application) => same(application.aid, aid));
  const leave = (target: DesfireApplication | undefined): void => {
    session = undefined;
    selected = target;
  };

  const selectApplication = (data: Uint8Array): Answer => {
    session = undefined;
    const target = find(exactly(data, 3));
    if (target === undefined && !same(data, picc)) throw new CardError(Status.applicationNotFound);
    leave(target);
    return { data: new Uint8Array() };
  };

  const authenticateEv1 =
    (type: CardKey['type']) =>
    (data: Uint8Array): Answer => {
      session = undefined;
      const [keyNumber = 0] = exactly(data, 1);
      const card = key(keyNumber);
      demand(card.type === type, Status.authenticationError);
      const { blockSize } = cipherOf(card);
      const rndB = random(blockSize);
      return {
        data: ev1Challenge(card, rndB),
        next(token) {
          const proof = ev1Respond(card, rndB, exactly(token, 2 * blockSize));
          if (proof === undefined) throw new CardError(Status.authenticationError);
          session = { kind: 'ev1', keyNumber, blockSize, channel: openEv1Channel(proof.session) };
          return { data: proof.answer };
        },
      };
    };

  const authenticateEv2First = (data: Uint8Array): Answer => {
    session = undefined;
    const [keyNumber = 0, length = 0] = data;
    demand(data.length >= 2 && length <= 6 && data.length === 2 + length, Status.lengthError);
    const capabilities = join(data.subarray(2), new Uint8Array(6 - length));
    const card = key(keyNumber);
    demand(card.type === 'aes', Status.authenticationError);
    const rndB = random(16);
    return {
      data: ev1Challenge(card, rndB),
      next(token) {
        const transaction = random(4);
        const proof = ev2Respond(card, rndB, transaction, capabilities, exactly(token, 32));
        if (proof === undefined) throw new CardError(Status.authenticationError);
        session = { kind: 'ev2', keyNumber, channel: openEv2Channel(proof.keys, transaction) };
        return { data: proof.answer };
      },
    };
  };

  const changeKey = (data: Uint8Array): Answer => {
    const current = session;
    const [sent] = data;
    demand(sent !== undefined, Status.lengthError);
    if (current === undefined) throw new CardError(Status.authenticationError);
    const atCardLevel = selected === undefined;
    const number = sent! & (atCardLevel ? 0x3f : 0xff);
    const old = key(number);
    demand((sent! & 0x40) === 0 || !atCardLevel, Status.parameterError);
    demand(mayChange(number, current), Status.authenticationError);
    const own = number === current.keyNumber;
    const type = atCardLevel ? ((sent! & 0x80) !== 0 ? 'aes' : 'des') : old.type;
    const { key: changed, answer } = changedKey(current, data, {
      keyNumber: sent!,
      type,
      ...(own ? {} : { other: old }),
    });
    if (selected === undefined) memory.key = changed;
    else selected.keys[number] = changed;
    if (own) session = undefined;
    return { data: answer };
  };

  /**
   * Upper half of the settings: 0 to D name the key that changes keys, E means each its own, F none but the master. The
   * master key obeys bit 0.
   */
  const mayChange = (number: number, by: Session): boolean => {
    if (number === 0) return by.keyNumber === 0 && (settings() & 0x01) !== 0;
    const changer = settings() >>> 4;
    return changer === 0x0e ? by.keyNumber === number : changer !== 0x0f && by.keyNumber === changer;
  };

  const commands = new Map<number, (data: Uint8Array) => Answer>([
    [0x60, getVersion],
    [0x5a, selectApplication],
    [0x6a, getApplicationIds],
    command(0x45, getKeySettings),
    command(0x64, (data) => Uint8Array.of(key(exactly(data, 1)[0]!).version)),
    command(0xca, createApplication),
    [0xda, deleteApplication],
    command(0xfc, formatPicc),
    [0xaa, authenticateEv1('aes')],
    [0x1a, authenticateEv1('des')],
    [0xc4, changeKey],
    [0x51, (data) => ({ data: encipheredUid(session, data, memory.uid) })],
  ]);
  if (memory.generation !== 'ev1') commands.set(0x71, authenticateEv2First);

  return {
    memory,
    ...runNativeCard({
      uid: memory.uid,
      commands,
      select(_p1, _p2, name) {
        leave(undefined);
        return toHex(name) === cardLevelName ? 0x9000 : 0x6a82;
      },
      endSession() {
        session = undefined;
      },
      powerUp() {
        leave(undefined);
      },
    }),
  };
}
