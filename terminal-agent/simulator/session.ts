import type { CardKey } from './authentication.js';
import { join } from './bytes.js';
import { crc32 } from './checksums.js';
import type { Ev1Channel } from './ev1-channel.js';
import type { Ev2Channel } from './ev2-channel.js';
import { ev1BlockLength, type KeyChange, readEv1KeyBlock, readEv2KeyBlock } from './key-block.js';
import { requireLength } from './native-card.js';
import { CardError, Status } from './status.js';

/** The authenticated state: with which key, and the secure channel that came of it. */
export type Session = { readonly keyNumber: number } & (
  | { readonly kind: 'ev1'; readonly blockSize: 8 | 16; readonly channel: Ev1Channel }
  | { readonly kind: 'ev2'; readonly channel: Ev2Channel }
);

/**
 * A command whose parameters travel in the clear: as it is without a session, with a MAC on the answer in EV1, with
 * MACs both ways in EV2.
 *
 * @throws {CardError} 911E if the command's MAC does not fit, 917E if there is none.
 */
export function inTheClear(
  session: Session | undefined,
  instruction: number,
  data: Uint8Array,
  run: (parameters: Uint8Array) => Uint8Array,
): Uint8Array {
  if (session === undefined) return run(data);
  if (session.kind === 'ev1') {
    session.channel.plainCommand(join([instruction], data));
    return session.channel.answer(run(data));
  }
  if (data.length < 8) throw new CardError(Status.lengthError);
  const parameters = data.subarray(0, -8);
  if (!session.channel.accepts(instruction, parameters, data.subarray(-8))) throw new CardError(Status.integrityError);
  return session.channel.answer(run(parameters));
}

/** GetCardUID: the UID enciphered, so that it is known to come from the card that authenticated. */
export function encipheredUid(session: Session | undefined, data: Uint8Array, uid: Uint8Array): Uint8Array {
  if (session === undefined) throw new CardError(Status.authenticationError);
  if (session.kind === 'ev1') {
    requireLength(data, 0);
    session.channel.plainCommand(Uint8Array.of(0x51));
    return session.channel.encipher(join(uid, crc32(join(uid, [0x00]))));
  }
  if (!session.channel.accepts(0x51, data.subarray(0, 0), requireLength(data, 8)))
    throw new CardError(Status.integrityError);
  return session.channel.encipher(uid);
}

/**
 * ChangeKey, in the form of the session's channel.
 *
 * @param data key number, cryptogram and, in EV2, MACt.
 * @returns the new key and the answer: a MAC if another key than the authenticated one was changed, otherwise nothing,
 * since the session is over.
 * @throws {CardError} 917E or 911E
 */
export function changedKey(
  session: Session,
  data: Uint8Array,
  change: KeyChange,
): { readonly key: CardKey; readonly answer: Uint8Array } {
  const key = session.kind === 'ev1' ? changedInEv1(session, data, change) : changedInEv2(session, data, change);
  if (key === undefined) throw new CardError(Status.integrityError);
  return { key, answer: change.other === undefined ? new Uint8Array() : session.channel.answer(new Uint8Array()) };
}

function changedInEv1(
  session: Extract<Session, { kind: 'ev1' }>,
  data: Uint8Array,
  change: KeyChange,
): CardKey | undefined {
  const cryptogram = requireLength(data, 1 + ev1BlockLength(change, session.blockSize)).subarray(1);
  return readEv1KeyBlock(session.channel.decipher(cryptogram), change);
}

function changedInEv2(
  session: Extract<Session, { kind: 'ev2' }>,
  data: Uint8Array,
  change: KeyChange,
): CardKey | undefined {
  requireLength(data, 1 + 32 + 8);
  if (!session.channel.accepts(0xc4, data.subarray(0, 33), data.subarray(33))) return undefined;
  const content = session.channel.decipher(data.subarray(1, 33));
  return content && readEv2KeyBlock(content, change);
}
