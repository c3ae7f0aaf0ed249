import { loadBinding } from './load-binding.js';
import type { PcscBinding, PcscCard, PcscEvents } from './pcsc.js';

/** As much of the package `nfc-pcsc` as is used here; it comes without types. */
interface NfcPcscPackage {
  readonly NFC: new (
    logger: Record<'log' | 'debug' | 'info' | 'warn' | 'error', (...words: unknown[]) => void>,
  ) => {
    on(event: 'reader', listener: (reader: NfcReader) => void): void;
    on(event: 'error', listener: (error: Error) => void): void;
  };
}
interface NfcReader {
  readonly name: string;
  autoProcessing: boolean;
  connection: unknown;
  connect(): Promise<unknown>;
  transmit(command: Buffer, longestReply: number): Promise<Uint8Array>;
  on(event: 'card' | 'card.off' | 'end', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  /** The reader object of the library underneath, which alone can reset a card. */
  readonly reader: {
    readonly SCARD_RESET_CARD: number;
    readonly SCARD_STATE_PRESENT: number;
    on(event: 'status', listener: (status: { readonly state: number }) => void): void;
    disconnect(disposition: number, callback: (error: Error | null) => void): void;
  };
}

const longestReply = 258;

/** PC/SC by the package `nfc-pcsc` (built for one version of Node). */
export async function nfcPcscBinding(): Promise<PcscBinding> {
  const library = (await loadBinding('nfc-pcsc')) as NfcPcscPackage;
  return { open: (events) => open(library, events) };
}

function open({ NFC }: NfcPcscPackage, events: PcscEvents): { close(): void } {
  let isClosed = false;
  const fail = (error: Error): void => {
    if (!isClosed) events.failed(error.message);
  };

  const doNothing = (): void => undefined;
  // A card that cannot be connected to is emitted as an event that has no listener; the logger is the only one to
  // see it.
  const nfc = new NFC({
    log: doNothing,
    debug: doNothing,
    info: doNothing,
    warn: doNothing,
    error: (error) => {
      if (!isClosed && error instanceof Error && error.name === 'ConnectError') events.mute(undefined);
    },
  });

  nfc.on('error', fail);
  nfc.on('reader', (reader) => {
    // Its own processing wants an application identifier for every DESFire and reports an error without one.
    reader.autoProcessing = false;
    let statuses = 0;
    let lying = false;
    reader.reader.on('status', ({ state }) => {
      statuses += 1;
      // The first status is the one found, all later ones are changes.
      lying = statuses === 1 && (state & reader.reader.SCARD_STATE_PRESENT) !== 0;
    });
    reader.on('error', fail);
    reader.on('end', () => {
      if (!isClosed) events.detached(reader.name);
    });
    reader.on('card', () => {
      if (!isClosed) events.inserted(reader.name, cardOf(reader), lying);
    });
    reader.on('card.off', () => {
      if (!isClosed) events.removed(reader.name);
    });
    events.attached(reader.name);
  });

  return {
    // The library is only turned a deaf ear to. Its own closing locks up the whole process where it meets an event on
    // its way, and joins threads that may wait for ever; without it, the threads end with the connection to pcscd, or
    // with the process.
    close() {
      isClosed = true;
    },
  };
}

function cardOf(reader: NfcReader): PcscCard {
  return {
    // Asynchronous, because the library throws at once when the card has left.
    transmit: async (command) => reader.transmit(Buffer.from(command), longestReply),
    async reset() {
      await new Promise<void>((resolve, reject) =>
        reader.reader.disconnect(reader.reader.SCARD_RESET_CARD, (error) => (error ? reject(error) : resolve())),
      );
      reader.connection = null;
      await reader.connect();
    },
  };
}
