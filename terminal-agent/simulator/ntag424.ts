import { type CardKey, ev1Challenge, ev2Respond, zeroKey } from './authentication.js';
import { join, toHex } from './bytes.js';
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

/** One of the five keys with its counters of failed authentications (NT4H2421Gx section 10.4, AN12196 section 7.4). */
export interface Ntag424Key {
  key: CardKey;
  /** SeqFailCtr: failures since the last success. */
  failedInARow: number;
  /** TotFailCtr: failures less what successes have taken off; at its limit the key is dead for ever. */
  failedInAll: number;
  /** Attempts that are still to be answered with AD before the next real one. */
  delay: number;
}

/** The state that an NTAG 424 DNA keeps without power. */
export interface Ntag424Memory {
  /** 7 bytes. */
  readonly uid: Uint8Array;
  /** The seven bytes behind the UID in GetVersion: batch and fabrication (5), week, year. */
  readonly production: Uint8Array;
  readonly keys: readonly Ntag424Key[];
}

export interface SimulatedNtag424 extends SimulatedCard {
  readonly memory: Ntag424Memory;
}

const version = [0x04, 0x04, 0x02, 0x30, 0x00, 0x11, 0x05, 0x04, 0x04, 0x02, 0x01, 0x02, 0x11, 0x05];
const applicationName = 'd2760000850101';
const masterFile = '3f00';
const failuresBeforeDelay = 50;
const failuresBeforeDeath = 1000;
const takenOffBySuccess = 10;

/** As it leaves the factory: five AES keys of zeros. */
export function factoryNtag424(uid: Uint8Array, production: Uint8Array): Ntag424Memory {
  return {
    uid: requireLength(uid, 7),
    production: requireLength(production, 7),
    keys: Array.from({ length: 5 }, () => ({ key: zeroKey('aes'), failedInARow: 0, failedInAll: 0, delay: 0 })),
  };
}

/**
 * An NTAG 424 DNA as far as badges need it: version, the five keys, EV2First authentication with its secure channel. No
 * files, no LRP mode, no random ID.
 * Real chips spend the delay in time; here every answered AD spends some of it.
 *
 * The memory is changed in place; to keep it, store it after an APDU.
 */
export function simulateNtag424(memory: Ntag424Memory, random: RandomBytes): SimulatedNtag424 {
  let isSelected = false;
  let session: Session | undefined;

  /** Before the application is selected, the card knows none of its keys. */
  const key = (number: number): Ntag424Key => {
    const cardKey = isSelected ? memory.keys[number] : undefined;
    if (cardKey === undefined) throw new CardError(Status.noSuchKey);
    return cardKey;
  };

  const getVersion = (data: Uint8Array): Answer =>
    inFrames(
      inTheClear(session, 0x60, data, (empty) => {
        requireLength(empty, 0);
        return join(version, memory.uid, memory.production);
      }),
      7,
      7,
    );

  const authenticate = (data: Uint8Array): Answer => {
    session = undefined;
    const [keyNumber = 0, length = 0] = data;
    if (data.length < 2 || length > 6 || data.length !== 2 + length) throw new CardError(Status.lengthError);
    const capabilities = join(data.subarray(2), new Uint8Array(6 - length));
    const slot = key(keyNumber);
    if (slot.failedInAll >= failuresBeforeDeath) throw new CardError(Status.permissionDenied);
    if (slot.delay > 0) {
      slot.delay -= 1;
      throw new CardError(Status.authenticationDelay);
    }
    const rndB = random(16);
    return {
      data: ev1Challenge(slot.key, rndB),
      next(token) {
        const transaction = random(4);
        const proof = ev2Respond(slot.key, rndB, transaction, capabilities, requireLength(token, 32));
        count(slot, proof !== undefined);
        if (proof === undefined) throw new CardError(Status.authenticationError);
        session = { kind: 'ev2', keyNumber, channel: openEv2Channel(proof.keys, transaction) };
        return { data: proof.answer };
      },
    };
  };

  const changeKey = (data: Uint8Array): Answer => {
    const current = session;
    const [keyNumber] = data;
    if (keyNumber === undefined) throw new CardError(Status.lengthError);
    const slot = key(keyNumber);
    if (current === undefined) throw new CardError(Status.authenticationError);
    if (current.keyNumber !== 0) throw new CardError(Status.permissionDenied);
    const isOwn = keyNumber === 0;
    const { key: newKey, answer } = changedKey(current, data, {
      keyNumber,
      type: 'aes',
      ...(isOwn ? {} : { other: slot.key }),
    });
    Object.assign(slot, { key: newKey, failedInARow: 0, failedInAll: 0, delay: 0 });
    if (isOwn) session = undefined;
    return { data: answer };
  };

  return {
    memory,
    ...runNativeCard({
      uid: memory.uid,
      commands: new Map<number, (data: Uint8Array) => Answer>([
        [0x60, getVersion],
        [
          0x64,
          (data) => ({
            data: inTheClear(session, 0x64, data, (number) =>
              Uint8Array.of(key(requireLength(number, 1)[0]!).key.version),
            ),
          }),
        ],
        [0x71, authenticate],
        [0xc4, changeKey],
        [0x51, (data) => ({ data: encipheredUid(session, data, memory.uid) })],
      ]),
      select(p1, _p2, name) {
        session = undefined;
        const byName = p1 === 0x04 && toHex(name) === applicationName;
        const master = p1 === 0x00 && toHex(name) === masterFile;
        if (byName || master) isSelected = byName;
        return byName || master ? 0x9000 : 0x6a82;
      },
      endSession() {
        session = undefined;
      },
      powerUp() {
        isSelected = false;
        session = undefined;
      },
    }),
  };
}

function count(slot: Ntag424Key, isProved: boolean): void {
  if (isProved) {
    slot.failedInARow = 0;
    slot.failedInAll = Math.max(0, slot.failedInAll - takenOffBySuccess);
    return;
  }
  slot.failedInARow += 1;
  slot.failedInAll += 1;
  if (slot.failedInARow >= failuresBeforeDelay) slot.delay = 1 + slot.failedInARow - failuresBeforeDelay;
}
