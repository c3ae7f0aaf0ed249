/**
 * False cards and failing fields, which tests, demonstrations and people at a test reader use in place of a sound
 * badge. Scripted in one word, such as `torn:5`.
 */
import { isEqual } from './bytes.js';
import { type CardFile, type FiledCard, factoryCard, readCardFile, writeCardFile } from './card-file.js';
import type { RandomBytes, SimulatedCard } from './native-card.js';

export type Fault =
  /** The same chip as it left the factory. */
  | { readonly kind: 'factory' }
  /** Somebody read all that a card tells without a key, and wrote it to another one. */
  | { readonly kind: 'copy' }
  /** The badge key is another one: of an older issue, or of another company. */
  | { readonly kind: 'wrong-key' }
  /** Gives the answers of the same card the last time. */
  | { readonly kind: 'replay' }
  /** The anticollision tells a fresh random number, as phones do. */
  | { readonly kind: 'random-uid' }
  /** The field breaks down while the card works on its command `at`: carried out, and not answered. */
  | { readonly kind: 'torn'; readonly at: number }
  /** Taken away before command `at`. */
  | { readonly kind: 'gone'; readonly at: number }
  /** Command `at` is answered by 91CA, command aborted. */
  | { readonly kind: '91ca'; readonly at: number }
  /** Command `at` takes this much longer, in milliseconds. */
  | { readonly kind: 'slow'; readonly at: number; readonly delay: number }
  /** The card is elsewhere, and its bytes are carried: each command takes this much longer, in milliseconds. */
  | { readonly kind: 'relayed'; readonly delay: number };

/** The outcome of a command. */
export interface Exchange {
  /** Undefined if the card has left the field instead of answering. */
  readonly reply: Uint8Array | undefined;
  /** Milliseconds until then. */
  readonly delay: number;
}

export interface FaultyCard {
  exchange(command: Uint8Array): Exchange;
  reset(): void;
  /** As the anticollision tells it. */
  readonly uid: Uint8Array;
  /** True if changes stay on the card; false where another card only plays its part. */
  readonly kept: boolean;
  /** Its answers since it was put down, for `replay`. */
  readonly conversation: readonly Uint8Array[];
}

/** A sound card, or one with faults. */
export type CardInField = SimulatedCard | FaultyCard;

export function exchangeWith(card: CardInField, command: Uint8Array): Exchange {
  return 'exchange' in card ? card.exchange(command) : { reply: card.apdu(command), delay: 0 };
}

/** Something is wrong with the words of a fault. */
export class UnknownFault extends Error {
  override readonly name = 'UnknownFault';
}

const forms =
  'factory, copy, wrong-key, replay, random-uid, torn:<command>, gone:<command>, 91ca:<command>, slow:<command>:<ms> or relayed:<ms>';

/**
 * Faults from words with commas between them, such as `relayed:120,gone:3`. Commands count from 1, the pseudo-command
 * for the UID not among them.
 *
 * @throws {UnknownFault}
 */
export function readFaults(text: string): readonly Fault[] {
  return text.split(',').map((word) => {
    const [kind, ...numbers] = word.trim().split(':');
    const [first = Number.NaN, second = Number.NaN] = numbers.map((digits) =>
      /^[1-9][0-9]{0,4}$/.test(digits) ? Number(digits) : Number.NaN,
    );
    const fault = faultOf(kind ?? '', numbers.length, first, second);
    if (fault === undefined) throw new UnknownFault(`a fault is ${forms}: not ${JSON.stringify(word)}`);
    return fault;
  });
}

function faultOf(kind: string, count: number, first: number, second: number): Fault | undefined {
  switch (kind) {
    case 'factory':
    case 'copy':
    case 'wrong-key':
    case 'replay':
    case 'random-uid':
      return count === 0 ? { kind } : undefined;
    case 'torn':
    case 'gone':
    case '91ca':
      return count === 1 && first > 0 ? { kind, at: first } : undefined;
    case 'slow':
      return count === 2 && first > 0 && second > 0 ? { kind, at: first, delay: second } : undefined;
    case 'relayed':
      return count === 1 && first > 0 ? { kind, delay: first } : undefined;
    default:
      return undefined;
  }
}

/**
 * The card with its faults, from the moment it is put down.
 *
 * @param earlier the answers of the same card the last time, for `replay`.
 */
export function withFaults(
  card: FiledCard,
  faults: readonly Fault[],
  random: RandomBytes,
  earlier: readonly Uint8Array[] = [],
): FaultyCard {
  const replacement = faults.map((fault) => otherCard(card, fault, random)).find((card) => card !== undefined);
  const simulatedCard: SimulatedCard = replacement ?? card;
  const has = (kind: Fault['kind']): boolean => faults.some((fault) => fault.kind === kind);
  const uid = has('random-uid') ? Uint8Array.of(0x08, ...random(3)) : card.memory.uid;
  const conversation: Uint8Array[] = [];
  let count = 0;

  const answer = (command: Uint8Array): Uint8Array => {
    if (has('replay')) return earlier[count - 1] ?? Uint8Array.of(0x91, 0xca);
    if (!faults.some((fault) => fault.kind === '91ca' && fault.at === count)) return simulatedCard.apdu(command);
    // The abort ends everything that the card had begun.
    simulatedCard.reset();
    return Uint8Array.of(0x91, 0xca);
  };

  return {
    uid,
    kept: replacement === undefined,
    conversation,
    reset: () => simulatedCard.reset(),
    exchange(command) {
      if (isEqual(command, Uint8Array.of(0xff, 0xca, 0x00, 0x00, 0x00)))
        return { reply: Uint8Array.of(...uid, 0x90, 0x00), delay: 0 };
      count += 1;
      if (faults.some((fault) => fault.kind === 'gone' && fault.at === count)) return { reply: undefined, delay: 0 };
      let delay = 0;
      let leaves = false;
      for (const fault of faults) {
        if (fault.kind === 'torn' && fault.at === count) leaves = true;
        if (fault.kind === 'relayed' || (fault.kind === 'slow' && fault.at === count)) delay += fault.delay;
      }
      const reply = answer(command);
      if (leaves) return { reply: undefined, delay };
      conversation.push(reply);
      return { reply, delay };
    },
  };
}

/** The card that plays the part of this one; undefined if it plays itself. */
function otherCard(card: FiledCard, { kind }: Fault, random: RandomBytes): FiledCard | undefined {
  if (kind === 'factory') return factoryCard(card.family, card.memory.uid, random, card.memory.production);
  if (kind !== 'copy' && kind !== 'wrong-key') return undefined;
  const file = JSON.parse(writeCardFile(card)) as CardFile;
  const keyring = file.family === 'ntag424' ? [file.keys] : file.applications.map(({ keys }) => keys);
  for (const keys of keyring)
    for (const [number, slot] of keys.entries())
      if (kind === 'copy' || number > 0) slot.key = Buffer.from(random(16)).toString('hex');
  if (kind === 'copy' && file.family !== 'ntag424') file.key.key = Buffer.from(random(16)).toString('hex');
  return readCardFile(JSON.stringify(file), random);
}
