/** Simulated cards of both families, as the kit holds them to a reader: hexadecimal commands and answers. */
import { randomBytes } from 'node:crypto';
import type { CardKey } from '@clockproof/terminal-agent/simulator/authentication';
import { type DesfireMemory, factoryDesfire, simulateDesfire } from '@clockproof/terminal-agent/simulator/desfire';
import type { RandomBytes, SimulatedCard } from '@clockproof/terminal-agent/simulator/native-card';
import { factoryNtag424, type Ntag424Memory, simulateNtag424 } from '@clockproof/terminal-agent/simulator/ntag424';

export interface Card {
  readonly uid: string;
  /** Hexadecimal C-APDU in, R-APDU out. */
  transmit(apdu: string): string;
  /** The card leaves the field: authentications are forgotten, keys stay. */
  reset(): void;
}

export interface CardSetup {
  readonly uid?: string;
  /** For a badge that was issued already: the stamp key, at key number 1. */
  readonly stampKey?: Uint8Array;
  /** Three bytes of a DESFire application, in hexadecimal. */
  readonly aid?: string;
  /** Random bytes of the card, for vectors. */
  readonly random?: RandomBytes;
}

const newUid = () => `04${randomBytes(6).toString('hex')}`;
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const production = hex('ba4519e3204913');
const cardKey = (key: Uint8Array): CardKey => ({ type: 'aes', key, version: 1 });

class HeldCard implements Card {
  readonly uid: string;
  readonly #card: SimulatedCard;

  constructor(uid: string, card: SimulatedCard) {
    this.uid = uid;
    this.#card = card;
  }

  transmit(apdu: string): string {
    return Buffer.from(this.#card.apdu(hex(apdu))).toString('hex');
  }

  reset(): void {
    this.#card.reset();
  }
}

export class Desfire extends HeldCard {
  readonly memory: DesfireMemory;

  constructor({ uid = newUid(), stampKey, aid, random = randomBytes }: CardSetup = {}) {
    const memory = factoryDesfire(hex(uid), 'ev3', production);
    if (stampKey !== undefined && aid !== undefined)
      memory.applications.push({
        aid: hex(aid),
        settings: 0x0b,
        type: 'aes',
        keys: [cardKey(randomBytes(16)), cardKey(stampKey)],
      });
    super(uid, simulateDesfire(memory, random));
    this.memory = memory;
  }
}

export const ntagApplication = 'd2760000850101';

export class Ntag424 extends HeldCard {
  readonly memory: Ntag424Memory;

  constructor({ uid = newUid(), stampKey, random = randomBytes }: CardSetup = {}) {
    const memory = factoryNtag424(hex(uid), production);
    if (stampKey !== undefined) {
      memory.keys[0]!.key = cardKey(randomBytes(16));
      memory.keys[1]!.key = cardKey(stampKey);
    }
    super(uid, simulateNtag424(memory, random));
    this.memory = memory;
  }
}

/** A card that only knows a number, and answers every command with the next of its recorded answers. */
export class Parrot implements Card {
  readonly uid: string;
  readonly #answers: readonly string[];
  #next = 0;

  constructor(uid: string, answers: readonly string[]) {
    this.uid = uid;
    this.#answers = [...answers];
  }

  transmit(): string {
    return this.#answers[this.#next++] ?? '91ae';
  }

  reset(): void {
    this.#next = 0;
  }
}
