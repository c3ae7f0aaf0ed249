import { isEqual, join } from './bytes.js';
import { CardError, Status } from './status.js';

/** A simulated card in the field of a reader. */
export interface SimulatedCard {
  /** One C-APDU in, one R-APDU with its status word out. */
  apdu(command: Uint8Array): Uint8Array;
  /** Power off and on, or a reset: selection, authentication and open chains are gone, keys and counters stay. */
  reset(): void;
}

/** Bytes from the card's random number generator: RndB and TI. */
export type RandomBytes = (length: number) => Uint8Array;

/** The answer to one frame of a command; with `next`, the status is AF and the following AF frame goes there. */
export interface Answer {
  readonly data: Uint8Array;
  readonly next?: (data: Uint8Array) => Answer;
}

export interface NativeCard {
  /** UID of the anticollision. */
  readonly uid: Uint8Array;
  /** Native commands by instruction byte. */
  readonly commands: ReadonlyMap<number, (data: Uint8Array) => Answer>;
  /** ISO SELECT: answers the status word. */
  select(p1: number, p2: number, name: Uint8Array): number;
  /** Ends the authenticated state. */
  endSession(): void;
  /** Back to the state after activation. */
  powerUp(): void;
}

/** Frames of a long answer, cut at `sizes`; the last frame takes the remainder. */
export function inFrames(data: Uint8Array, ...sizes: readonly number[]): Answer {
  const [size, ...restSizes] = sizes;
  if (size === undefined || data.length <= size) return { data };
  return {
    data: data.subarray(0, size),
    next: (empty) => {
      requireLength(empty, 0);
      return inFrames(data.subarray(size), ...restSizes);
    },
  };
}

/** @throws {CardError} 917E */
export function requireLength(data: Uint8Array, length: number): Uint8Array {
  if (data.length !== length) throw new CardError(Status.lengthError);
  return data;
}

/**
 * Framing shared by both families: native commands in ISO form (`90 INS 00 00 [Lc data] 00` → `data 91 SS`), chains
 * with AF, ISO SELECT, and the pseudo-command for the UID that a reader's firmware answers and a virtual reader does
 * not.
 */
export function runNativeCard(card: NativeCard): SimulatedCard {
  let pendingFrames: Answer['next'];

  const native = (instruction: number, data: Uint8Array): Answer => {
    const next = pendingFrames;
    pendingFrames = undefined;
    if (next !== undefined) {
      if (instruction !== Status.moreFrames) throw new CardError(Status.commandAborted);
      return next(data);
    }
    const command = card.commands.get(instruction);
    if (command === undefined) throw new CardError(Status.illegalCommand);
    return command(data);
  };

  const drop = (): void => {
    pendingFrames = undefined;
    card.endSession();
  };

  const apdu = (command: Uint8Array): Uint8Array => {
    const [cla, instruction, p1, p2] = command;
    if (isEqual(command, Uint8Array.of(0xff, 0xca, 0x00, 0x00, 0x00))) return join(card.uid, [0x90, 0x00]);
    const data = commandData(command);
    if (cla === 0xff) return Uint8Array.of(0x6a, 0x81);
    if (data === undefined || instruction === undefined || p1 === undefined || p2 === undefined) {
      drop();
      return Uint8Array.of(0x67, 0x00);
    }
    if (cla === 0x00) {
      drop();
      return instruction === 0xa4 ? statusWord(card.select(p1, p2, data)) : Uint8Array.of(0x6d, 0x00);
    }
    if (cla !== 0x90 || p1 !== 0 || p2 !== 0) {
      drop();
      return cla === 0x90 ? Uint8Array.of(0x6a, 0x86) : Uint8Array.of(0x6e, 0x00);
    }
    try {
      const answer = native(instruction, data);
      pendingFrames = answer.next;
      return join(answer.data, [0x91, answer.next === undefined ? Status.ok : Status.moreFrames]);
    } catch (error) {
      if (!(error instanceof CardError)) throw error;
      drop();
      return Uint8Array.of(0x91, error.status);
    }
  };

  const reset = (): void => {
    pendingFrames = undefined;
    card.powerUp();
  };

  return { apdu, reset };
}

/** Data of a short C-APDU (ISO/IEC 7816-4, cases 1 to 4); undefined if Lc does not fit. */
function commandData(command: Uint8Array): Uint8Array | undefined {
  if (command.length === 4 || command.length === 5) return command.subarray(command.length);
  const length = command[4];
  if (length === undefined || length === 0 || (command.length !== 5 + length && command.length !== 6 + length))
    return undefined;
  return command.subarray(5, 5 + length);
}

function statusWord(word: number): Uint8Array {
  return Uint8Array.of(word >>> 8, word & 0xff);
}
