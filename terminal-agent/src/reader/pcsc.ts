import { abortOf, type Sleep } from '../sleep.js';
import { CardGone, type PresentCard, type Reader, type ReaderState } from './reader.js';

/** A card as a PC/SC library shows it. */
export interface PcscCard {
  transmit(command: Uint8Array): Promise<Uint8Array>;
  reset(): Promise<void>;
}

/** Events at the readers of one PC. Readers are named by PC/SC. */
export interface PcscEvents {
  attached(reader: string): void;
  detached(reader: string): void;
  /** @param lying the card was there before anybody watched. */
  inserted(reader: string, card: PcscCard, lying: boolean): void;
  /** There is a card, but it does not answer. Not every library says at which reader. */
  mute(reader: string | undefined): void;
  removed(reader: string): void;
  /** The library is of no further use; a new connection must be opened. */
  failed(reason: string): void;
}

/** One of the libraries. */
export interface PcscBinding {
  /** Opens a connection to pcscd; events come until it is closed or has failed. */
  open(events: PcscEvents): { close(): void };
}

export interface PcscReaderOptions {
  readonly binding: PcscBinding;
  /** The reason why pcscd cannot be used at present, or undefined. */
  readonly obstacle: () => Promise<string | undefined>;
  /** Part of the name of the one reader to use; undefined means any. */
  readonly readerName: string | undefined;
  readonly sleep: Sleep;
  /** Milliseconds, by a clock that nothing sets. */
  readonly elapsed: () => number;
}

const firstBackOff = 1_000;
const longestBackOff = 30_000;
/** Milliseconds after which a reader that has not shown up is reported. */
const searchMs = 2_000;
/**
 * Milliseconds after which a command counts as unanswered. The longest one, a key change, takes a tenth of a second.
 */
const commandTimeout = 5_000;
/**
 * Some readers show a card as gone and come back after a reset; within this time after ours it is still the same visit.
 */
const afterReset = 1_000;

const getUid = Uint8Array.of(0xff, 0xca, 0x00, 0x00, 0x00);

/**
 * A reader behind pcscd. Keeps a connection to it through everything: pcscd not running yet, restarted or killed,
 * reader pulled out and put back. After an error the library is opened again, at first after a second, then ever more
 * slowly up to half a minute.
 */
export function pcscReader(options: PcscReaderOptions): Reader {
  const { binding, obstacle, readerName, sleep, elapsed } = options;
  const listeners = {
    card: [] as ((card: PresentCard) => void)[],
    removed: [] as (() => void)[],
    state: [] as ((state: ReaderState) => void)[],
  };
  const shutdown = new AbortController();
  let watchTask: Promise<void> = Promise.resolve();
  let current: { readonly reader: string; readonly card: PcscCard; readonly uid: string | undefined } | undefined;
  let lastReset: { readonly at: number; readonly uid: string | undefined } | undefined;
  let lastReport = '';

  const tellState = (state: ReaderState): void => {
    const text = JSON.stringify(state);
    if (text === lastReport) return;
    lastReport = text;
    for (const listener of listeners.state) listener(state);
  };
  const endPresence = (): void => {
    if (current === undefined) return;
    current = undefined;
    for (const listener of listeners.removed) listener();
  };

  const watch = async (): Promise<void> => {
    let backOff = firstBackOff;
    while (!shutdown.signal.aborted) {
      const sentence = await obstacle();
      const isConnected = sentence === undefined && (await connection());
      if (shutdown.signal.aborted) return;
      if (sentence !== undefined) tellState({ kind: 'waiting', sentence });
      if (isConnected) backOff = firstBackOff;
      await sleep(backOff, shutdown.signal);
      backOff = Math.min(2 * backOff, longestBackOff);
    }
  };

  /** Lives as long as one connection to pcscd does. True if it has shown a reader. */
  const connection = async (): Promise<boolean> => {
    const connectionEnd = new AbortController();
    const names = new Set<string>();
    let hasReader = false;
    const tellReaders = (): void => {
      const [name] = names;
      tellState(name === undefined ? { kind: 'waiting', sentence: missing(readerName) } : { kind: 'ready', name });
    };
    const fail = (reason: string): void => {
      if (connectionEnd.signal.aborted) return;
      connectionEnd.abort();
      tellState({ kind: 'waiting', sentence: `the card reader has failed: ${reason}` });
    };
    const isWanted = (name: string): boolean => readerName === undefined || name.includes(readerName);

    let session: { close(): void };
    try {
      session = binding.open({
        attached(name) {
          if (!isWanted(name)) return;
          hasReader = true;
          names.add(name);
          tellReaders();
        },
        detached(name) {
          if (current?.reader === name) endPresence();
          if (names.delete(name)) tellReaders();
        },
        inserted(name, card, lying) {
          if (isWanted(name) && !lying && current === undefined && !connectionEnd.signal.aborted)
            void present(name, card);
        },
        mute(name) {
          if (name === undefined || isWanted(name)) for (const listener of listeners.card) listener({ uid: undefined });
        },
        removed(name) {
          if (current?.reader === name) endPresence();
        },
        failed: fail,
      });
    } catch (error) {
      tellState({ kind: 'waiting', sentence: `the card reader has failed: ${reasonOf(error)}` });
      return false;
    }
    const ending = AbortSignal.any([connectionEnd.signal, shutdown.signal]);
    void sleep(searchMs, ending).then(() => !ending.aborted && names.size === 0 && tellReaders());
    await abortOf(ending);
    endPresence();
    session.close();
    return hasReader;
  };

  const present = async (reader: string, card: PcscCard): Promise<void> => {
    const place = { reader, card, uid: undefined as string | undefined };
    current = place;
    const uid = await unlessGone(card.transmit(getUid))
      .then(uidIn)
      .catch(() => undefined);
    if (current !== place) return;
    const text = uid && Buffer.from(uid).toString('hex');
    current = { reader, card, uid: text };
    const isSameVisit =
      lastReset !== undefined && text !== undefined && lastReset.uid === text && elapsed() - lastReset.at < afterReset;
    if (!isSameVisit) for (const listener of listeners.card) listener({ uid });
  };

  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const passEnd = new AbortController();
    const timeout = sleep(commandTimeout, passEnd.signal).then(() => {
      if (passEnd.signal.aborted) return undefined as never;
      // The library's thread waits inside pcscd and cannot be called back: only a new process helps.
      tellState({ kind: 'broken', sentence: 'the card reader no longer answers' });
      endPresence();
      throw new CardGone('no answer in time');
    });
    try {
      return await Promise.race([work, timeout]);
    } finally {
      passEnd.abort();
    }
  };

  /** @throws CardGone it did not answer, or too late */
  const unlessGone = <T>(work: Promise<T>): Promise<T> =>
    inTime(work).catch((error: unknown) => {
      throw error instanceof CardGone ? error : new CardGone(reasonOf(error), { cause: error });
    });

  const inField = () => {
    if (current === undefined) throw new CardGone('no card in the field');
    return current;
  };

  return {
    onCard: (listener) => void listeners.card.push(listener),
    onRemoved: (listener) => void listeners.removed.push(listener),
    onReaderState: (listener) => void listeners.state.push(listener),
    start() {
      watchTask = watch();
      return Promise.resolve();
    },
    transmit: async (command) => unlessGone(inField().card.transmit(command)),
    async reset() {
      const { card, uid } = inField();
      lastReset = { at: elapsed(), uid };
      await unlessGone(card.reset());
      lastReset = { at: elapsed(), uid };
    },
    async close() {
      shutdown.abort();
      await watchTask;
    },
  };
}

function uidIn(reply: Uint8Array): Uint8Array | undefined {
  return reply.at(-2) === 0x90 && reply.at(-1) === 0x00 && [4, 7, 10].includes(reply.length - 2)
    ? reply.subarray(0, -2)
    : undefined;
}

function missing(readerName: string | undefined): string {
  return readerName === undefined
    ? 'no card reader is connected'
    : `no card reader with "${readerName}" in its name is connected`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
