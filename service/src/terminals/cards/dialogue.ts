/**
 * A dialogue with a card: a generator that yields C-APDUs, takes R-APDUs and returns an outcome. It has no other state
 * and draws no randomness: with the same random bytes and the same replies, it reaches the same point in any process.
 */
import { parseReply, type Reply, statusWord } from './framing.js';

export type Dialogue<Outcome> = Generator<Uint8Array, Outcome, Uint8Array>;

/** The reason why a card was refused. For the audit log only; the terminal never receives it. */
export type CardRefusalReason =
  /** The response has no status word: the card left the field. */
  | 'card_removed'
  /** Another kind of card, a random UID, or a card without our application. */
  | 'unsupported_card'
  /** The card rejected our token (AE): it holds another key. A copy, or a wrong company card key. */
  | 'wrong_key'
  /** RndA' or a MAC does not fit the key: a forged card or a replayed conversation. */
  | 'forged_reply'
  /** A status or a length that the step does not know. */
  | 'unexpected_reply'
  /** The card makes us wait after too many failed authentications (AD). Trying on only lengthens it. */
  | 'authentication_delayed'
  /**
   * The card refuses the command (9D). At an authentication: its limit of failed authentications is reached for ever
   * (NT4H2421Gx §10.4).
   */
  | 'permission_denied'
  /** Issuing only: the card has been keyed before, by somebody else or for somebody else. */
  | 'not_in_factory_state'
  /** Issuing only: no room for an application. */
  | 'card_full';

export type Refused = { readonly outcome: 'refused'; readonly reason: CardRefusalReason };

/** Leaves a dialogue from any depth; {@link withOutcome} turns it into a value. */
export class CardRefused extends Error {
  override readonly name = 'CardRefused';
  constructor(readonly reason: CardRefusalReason) {
    super(reason);
  }
}

/** Runs a dialogue to its value, a refusal included. Any other exception is a bug in this program. */
export function* withOutcome<Success>(dialogue: Dialogue<Success>): Dialogue<Success | Refused> {
  try {
    return yield* dialogue;
  } catch (error) {
    if (error instanceof CardRefused) return { outcome: 'refused', reason: error.reason };
    throw error;
  }
}

/**
 * Sends one command and accepts only the response the step expects.
 *
 * @param length exact number of data bytes.
 * @throws {CardRefused} any other response, with the reason that it gives.
 */
export function* exchange(command: Uint8Array, status: number, length: number): Dialogue<Uint8Array> {
  const reply = yield* transceive(command);
  if (reply.status !== status) throw new CardRefused(reasonOf(reply.status));
  if (reply.data.length !== length) throw new CardRefused('unexpected_reply');
  return reply.data;
}

/** Like {@link exchange}, but the step itself evaluates the status. */
export function* transceive(command: Uint8Array): Dialogue<Reply> {
  const reply = parseReply(yield command);
  if (reply === undefined) throw new CardRefused('card_removed');
  return reply;
}

/**
 * Sends the first command of a dialogue. A card that was interrupted during authentication responds with 91CA and is
 * then ready (NT4H2421Gx §9.1): it is repeated once.
 */
export function* firstExchange(command: Uint8Array, status: number, length: number): Dialogue<Uint8Array> {
  const reply = yield* transceive(command);
  if (reply.status === statusWord.commandAborted) return yield* exchange(command, status, length);
  if (reply.status !== status) throw new CardRefused(reasonOf(reply.status));
  if (reply.data.length !== length) throw new CardRefused('unexpected_reply');
  return reply.data;
}

/** The meaning of a status that no step expects. */
export function reasonOf(status: number): CardRefusalReason {
  switch (status) {
    case statusWord.authenticationError:
      return 'wrong_key';
    case statusWord.authenticationDelay:
      return 'authentication_delayed';
    case statusWord.permissionDenied:
      return 'permission_denied';
    case statusWord.outOfMemory:
      return 'card_full';
    case statusWord.applicationNotFound:
    case statusWord.illegalCommand:
    case statusWord.noSuchKey:
    case statusWord.isoFileNotFound:
    case statusWord.isoInstructionNotSupported:
    case statusWord.isoClassNotSupported:
      return 'unsupported_card';
    default:
      return 'unexpected_reply';
  }
}

export type DialogueProgress<Outcome> =
  | { readonly command: Uint8Array }
  | { readonly outcome: Outcome; readonly replies: number };

/**
 * The dialogue state after these replies: the next command, or the outcome.
 *
 * @returns with an outcome, the number of replies it took.
 */
export function replay<Outcome>(
  dialogue: Dialogue<Outcome>,
  replies: readonly Uint8Array[],
): DialogueProgress<Outcome> {
  let step = dialogue.next();
  let takenCount = 0;
  while (!step.done && takenCount < replies.length) {
    step = dialogue.next(replies[takenCount]!);
    takenCount += 1;
  }
  return step.done ? { outcome: step.value, replies: takenCount } : { command: step.value };
}

/**
 * Random bytes drawn before the dialogue began, each used once, in order.
 *
 * @throws {RangeError} the dialogue needs more than was drawn.
 */
export function randomTape(bytes: Uint8Array): (length: number) => Uint8Array {
  let position = 0;
  return (length) => {
    if (position + length > bytes.length) throw new RangeError('the random tape is used up');
    position += length;
    return bytes.subarray(position - length, position);
  };
}
