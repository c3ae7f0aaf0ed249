import { type CardInField, exchangeWith } from '../../simulator/faults.js';
import type { Sleep } from '../sleep.js';
import { CardGone, type PresentCard, type Reader, type ReaderState } from './reader.js';

/** A card, and the function that keeps its changes. */
export interface PlacedCard {
  readonly card: CardInField;
  readonly uid: Uint8Array;
  /**
   * Called after every command, before its reply goes out: the card remembers every reply after a restart.
   */
  readonly store: () => Promise<void>;
}

export interface SimulatedReader extends Reader {
  /** Holds a card to the reader; one that is there already is taken away first. */
  place(card: PlacedCard): void;
  /** Takes the card away; false if there was none. */
  take(): boolean;
  /** Behaves as if the reader was pulled out; {@link Reader.start} puts it back. */
  fail(sentence: string): void;
}

/**
 * A reader whose cards are programs.
 *
 * @param sleep for cards that take their time.
 */
export function simulatedReader(sleep: Sleep): SimulatedReader {
  let placedCard: PlacedCard | undefined;
  const listeners = {
    card: [] as ((card: PresentCard) => void)[],
    removed: [] as (() => void)[],
    state: [] as ((state: ReaderState) => void)[],
  };

  const inField = (): PlacedCard => {
    if (placedCard === undefined) throw new CardGone('no card in the field');
    return placedCard;
  };
  const take = (): boolean => {
    if (placedCard === undefined) return false;
    placedCard = undefined;
    for (const listener of listeners.removed) listener();
    return true;
  };

  return {
    onCard: (listener) => void listeners.card.push(listener),
    onRemoved: (listener) => void listeners.removed.push(listener),
    onReaderState: (listener) => void listeners.state.push(listener),
    start() {
      for (const listener of listeners.state) listener({ kind: 'ready', name: 'simulated reader' });
      return Promise.resolve();
    },
    async transmit(command) {
      const card = inField();
      const { reply, delay } = exchangeWith(card.card, command);
      await card.store();
      if (delay > 0) await sleep(delay);
      const takenMeanwhile = delay > 0 && placedCard !== card;
      if (reply === undefined && placedCard === card) take();
      if (reply === undefined || takenMeanwhile) throw new CardGone('the card has left the field');
      return reply;
    },
    async reset() {
      inField().card.reset();
    },
    place(card) {
      take();
      card.card.reset();
      placedCard = card;
      for (const listener of listeners.card) listener({ uid: card.uid });
    },
    take,
    fail(sentence) {
      take();
      for (const listener of listeners.state) listener({ kind: 'waiting', sentence });
    },
    close() {
      placedCard = undefined;
      return Promise.resolve();
    },
  };
}
