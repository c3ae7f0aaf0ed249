import { cardFolder } from './card-folder.js';
import { followScript } from './choose-action.js';
import type { ReaderKind, RunConfig } from './config.js';
import { doorText } from './door-text.js';
import { loadOrCreateKey, type RandomBytes } from './key.js';
import { nfcPcscBinding } from './reader/nfc-pcsc.js';
import { pcscReader } from './reader/pcsc.js';
import { pcscdObstacle } from './reader/pcscd-socket.js';
import type { Reader } from './reader/reader.js';
import { simulatedReader } from './reader/simulated.js';
import { smartcardBinding } from './reader/smartcard.js';
import { loadRegistration } from './registration.js';
import { startRelay } from './relay.js';
import { createServiceClient, type Fetch } from './request.js';
import { openSimulatorControl, type SimulatorControl } from './simulator-control.js';
import type { Sleep } from './sleep.js';
import { terminalApi } from './terminal-api.js';
import { watchStatus } from './watch-status.js';

/** What a process gives to the program, and a test replaces. */
export interface World {
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: RandomBytes;
  readonly sleep: Sleep;
  /** One line for the person at the terminal or the operator. */
  readonly print: (line: string) => void;
}

/** The card reader can only be brought back by a new process. */
export class ReaderBroken extends Error {
  override readonly name = 'ReaderBroken';
}

/**
 * A terminal in service, until the signal.
 *
 * @throws {ConfigurationFaults} if this PC is not paired or the reader's package is missing.
 * @throws {ReaderBroken} for the supervisor to start the program again.
 */
export async function run(config: RunConfig, world: World, signal: AbortSignal): Promise<void> {
  const key = await loadOrCreateKey(config.stateFolder, world.random);
  const { terminalId } = await loadRegistration(config.stateFolder, config.serviceUrl);
  const { fetch, now, random, sleep, print } = world;
  const api = terminalApi(
    createServiceClient({
      serviceUrl: config.serviceUrl,
      fetch,
      now,
      random,
      sleep,
      timeout: config.requestTimeout,
      signer: { terminalId, key },
    }),
  );
  const { reader, control } = await openReader(config, world);
  const script = followScript(config.actions);

  const broken = new AbortController();
  const over = AbortSignal.any([signal, broken.signal]);
  reader.onReaderState((state) => {
    print(`Reader: ${state.kind === 'ready' ? state.name : state.sentence}`);
    if (state.kind === 'broken') broken.abort(new ReaderBroken(state.sentence));
  });
  const relay = startRelay({
    reader,
    api,
    sleep,
    now,
    choose: (proof, stopping) => Promise.resolve(control?.choice() ?? script(proof, stopping)),
    show(outcome) {
      print(doorText(outcome, config.timeZone));
      control?.done(outcome);
    },
  });
  await reader.start();
  if (control !== undefined) print(`Simulator: http://127.0.0.1:${control.port}/`);

  await Promise.all([watchStatus(api, print, sleep, over), aborted(over).then(() => relay.stop())]);
  broken.signal.throwIfAborted();
  await control?.close();
  await reader.close();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}

async function openReader(
  config: RunConfig,
  world: World,
): Promise<{ readonly reader: Reader; readonly control?: SimulatorControl }> {
  const { simulator, timeZone } = config;
  if (simulator === undefined) return { reader: await openPcscReader(config.reader, config, world) };
  const reader = simulatedReader();
  return {
    reader,
    control: await openSimulatorControl(
      simulator.port,
      cardFolder(simulator.cardsFolder, world.random),
      reader,
      timeZone,
    ),
  };
}

async function openPcscReader(kind: ReaderKind, config: RunConfig, { sleep, now }: World): Promise<Reader> {
  const binding = await (kind === 'nfc-pcsc' ? nfcPcscBinding() : smartcardBinding());
  // Only Linux and the BSDs have pcscd; elsewhere PC/SC is part of the system.
  const hasSocket = process.platform !== 'win32' && process.platform !== 'darwin';
  const obstacle = () => (hasSocket ? pcscdObstacle(config.pcscdSocket) : Promise.resolve(undefined));
  return pcscReader({ binding, obstacle, readerName: config.readerName, sleep, now });
}
