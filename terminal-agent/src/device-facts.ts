import type { Reader, ReaderState } from './reader/reader.js';
import type { ServiceClient } from './request.js';
import type { DeviceFacts } from './terminal-api.js';
import { version } from './version.js';

/** Milliseconds: an answer may travel so much longer than the one before, which is no change of the clock. */
const noise = 2_000;
const largest = 2_147_483_647;

/** Present facts about this PC. */
export type Facts = (client: Pick<ServiceClient, 'clockOffset'>, offlineWaiting?: number) => DeviceFacts;

/** Watches the reader from now on. @param run names the running program */
export function deviceFacts(reader: Pick<Reader, 'onReaderState'>, run?: string): Facts {
  let state: ReaderState | undefined;
  reader.onReaderState((readerState) => {
    state = readerState;
  });
  let lastState: number | undefined;
  return (client, offlineWaiting) => {
    const offset = client.clockOffset();
    // The same number while the clock is the same: each new one is stored by the service.
    if (offset !== undefined && (lastState === undefined || Math.abs(offset - lastState) >= noise))
      lastState = Math.max(-largest, Math.min(Math.round(offset), largest));
    const name = state?.kind === 'ready' ? printable(state.name) : '';
    return {
      ...(run === undefined ? {} : { run }),
      agent_version: version,
      ...(name === '' ? {} : { reader: name }),
      ...(state === undefined ? {} : { reader_state: state.kind === 'ready' ? 'ready' : 'missing' }),
      ...(lastState === undefined ? {} : { clock_offset_ms: lastState }),
      ...(offlineWaiting === undefined ? {} : { offline_waiting: offlineWaiting }),
    };
  };
}

/** Printable ASCII, 100 characters at most. */
function printable(name: string): string {
  return name.replace(/[^ -~]/g, '?').slice(0, 100);
}
