import { loadBinding } from './load-binding.js';
import type { PcscBinding, PcscCard, PcscEvents } from './pcsc.js';

/**
 * As much of the package `smartcard` as is used here. Its event class is left aside: it reports a card that moved too
 * fast and a dead pcscd alike.
 */
interface SmartcardPackage {
  readonly Context: new () => NativeContext;
  readonly ReaderMonitor: new () => { start(callback: (event: MonitorEvent) => void): void; stop(): void };
  readonly SCARD_STATE_PRESENT: number;
  readonly SCARD_SHARE_SHARED: number;
  readonly SCARD_PROTOCOL_T0: number;
  readonly SCARD_PROTOCOL_T1: number;
  readonly SCARD_RESET_CARD: number;
}
interface NativeContext {
  listReaders(): { readonly name: string; connect(share: number, protocols: number): Promise<NativeCard> }[];
  close(): void;
}
interface NativeCard {
  transmit(command: Buffer, options: { readonly maxRecvLength: number }): Promise<Uint8Array>;
  reconnect(share: number, protocols: number, initialization: number): Promise<number>;
  disconnect(): void;
}
interface MonitorEvent {
  readonly type: 'reader-attached' | 'reader-detached' | 'card-inserted' | 'card-removed' | 'error';
  /** The reader's name; with `error`, the message. */
  readonly reader: string;
  readonly state: number;
}

/** 256 bytes of data and the status word. */
const longestReply = 258;

/** PC/SC by the package `smartcard` (N-API: one build serves all versions of Node). */
export async function smartcardBinding(): Promise<PcscBinding> {
  const library = (await loadBinding('smartcard')) as SmartcardPackage;
  return { open: (events) => open(library, events) };
}

function open(library: SmartcardPackage, events: PcscEvents): { close(): void } {
  const context = new library.Context();
  const monitor = new library.ReaderMonitor();
  const protocols = library.SCARD_PROTOCOL_T0 | library.SCARD_PROTOCOL_T1;
  const readers = new Map<string, NativeCard>();
  let isClosed = false;

  const insert = async (reader: string, lying: boolean): Promise<void> => {
    let native: NativeCard | undefined;
    try {
      native = await context
        .listReaders()
        .find(({ name }) => name === reader)
        ?.connect(library.SCARD_SHARE_SHARED, protocols);
    } catch {
      native = undefined;
    }
    if (isClosed) return native?.disconnect();
    if (native === undefined) return lying ? undefined : events.mute(reader);
    readers.set(reader, native);
    events.inserted(reader, cardOf(native), lying);
  };
  const remove = (reader: string): void => {
    disconnect(readers.get(reader));
    readers.delete(reader);
    events.removed(reader);
  };
  const cardOf = (native: NativeCard): PcscCard => ({
    transmit: (command) => native.transmit(Buffer.from(command), { maxRecvLength: longestReply }),
    reset: async () => void (await native.reconnect(library.SCARD_SHARE_SHARED, protocols, library.SCARD_RESET_CARD)),
  });

  const handle = async ({ type, reader, state }: MonitorEvent): Promise<void> => {
    switch (type) {
      case 'reader-attached':
        events.attached(reader);
        if ((state & library.SCARD_STATE_PRESENT) !== 0) await insert(reader, true);
        return;
      case 'reader-detached':
        disconnect(readers.get(reader));
        readers.delete(reader);
        return events.detached(reader);
      case 'card-inserted':
        return insert(reader, false);
      case 'card-removed':
        return remove(reader);
      case 'error':
        return events.failed(reader);
    }
  };

  // One event after the other: a removal must not overtake the connection to the card that was removed.
  let queue = Promise.resolve();
  monitor.start((event) => {
    queue = queue.then(() => (isClosed ? undefined : handle(event)));
  });

  return {
    close() {
      isClosed = true;
      monitor.stop();
      for (const card of readers.values()) disconnect(card);
      context.close();
    },
  };
}

function disconnect(card: NativeCard | undefined): void {
  try {
    card?.disconnect();
  } catch {
    // It has left already.
  }
}
