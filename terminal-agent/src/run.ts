import { cardFolder } from './card-folder.js';
import { followScript } from './choose-action.js';
import { type ReaderKind, type RunConfig, thisHost } from './config.js';
import { deviceFacts, type Facts } from './device-facts.js';
import { doorText } from './door-text.js';
import { loadOrCreateKey } from './key.js';
import { fileDisk, journalFile, openJournal } from './offline/journal.js';
import { uploads } from './offline/upload.js';
import { nfcPcscBinding } from './reader/nfc-pcsc.js';
import { pcscReader } from './reader/pcsc.js';
import { pcscdObstacle } from './reader/pcscd-socket.js';
import type { Reader } from './reader/reader.js';
import { simulatedReader } from './reader/simulated.js';
import { smartcardBinding } from './reader/smartcard.js';
import { loadRegistration } from './registration.js';
import { startRelay } from './relay.js';
import { createServiceClient } from './request.js';
import { runWithScreen } from './screen/terminal.js';
import { openSimulatorControl, type SimulatorControl } from './simulator-control.js';
import { abortOf } from './sleep.js';
import { terminalApi } from './terminal-api.js';
import { watchStatus } from './watch-status.js';
import type { World } from './world.js';

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
export async function run(config: RunConfig, process: World, signal: AbortSignal): Promise<void> {
  const world = { ...process, run: Buffer.from(process.random(16)).toString('base64url') };
  const { reader, control } = await openReader(config, world);
  const failure = new AbortController();
  const stopSignal = AbortSignal.any([signal, failure.signal]);
  const facts = deviceFacts(reader, world.run);
  reader.onReaderState((state) => {
    world.print(`Reader: ${state.kind === 'ready' ? state.name : state.sentence}`);
    if (state.kind === 'broken') failure.abort(new ReaderBroken(state.sentence));
  });
  try {
    const { screen } = config;
    await (screen === undefined
      ? runWithoutScreen(config, world, { reader, control, facts }, stopSignal)
      : runWithScreen({ ...config, screen }, world, { reader, control, facts }, stopSignal));
    failure.signal.throwIfAborted();
  } finally {
    await control?.close();
  }
  await reader.close();
}

interface Devices {
  readonly reader: Reader;
  readonly control?: SimulatorControl | undefined;
}

/** One line for each person, and the most sensible stamp without asking. */
async function runWithoutScreen(
  config: RunConfig,
  world: World,
  { reader, control, facts }: Devices & { readonly facts: Facts },
  signal: AbortSignal,
): Promise<void> {
  const { elapsed, sleep, print } = world;
  const key = await loadOrCreateKey(config.stateFolder, world.random);
  const { terminalId } = await loadRegistration(config.stateFolder, config.serviceUrl);
  const client = createServiceClient({
    ...world,
    serviceUrl: config.serviceUrl,
    timeout: config.requestTimeout,
    signer: { terminalId, key },
  });
  const api = terminalApi(client, world.run);
  // Nothing is recorded offline without a screen. Earlier stamps of a screen still wait.
  const journal = await openJournal(fileDisk(journalFile(config.stateFolder, terminalId, key)));
  const upload = uploads(journal, api, print);
  const script = followScript(config.actions);
  const relay = startRelay({
    reader,
    api,
    sleep,
    elapsed,
    serviceNow: client.now,
    // A tool that wants one thing, or a person of whom only the next sensible one can be wanted.
    preselectedAction: () => {
      const choice = control?.choice();
      if (choice !== undefined) return choice.pin === undefined ? choice.action : undefined;
      return config.actions.length === 0 ? 'next' : undefined;
    },
    choose: (proof, stopSignal) => Promise.resolve(control?.choice() ?? script(proof, stopSignal)),
    show(outcome) {
      print(doorText(outcome, config.timeZone));
      control?.report(outcome);
    },
  });
  await reader.start();
  // From here on the relay listens for cards.
  if (control !== undefined) print(`Simulator: http://127.0.0.1:${control.port}/`);
  await Promise.all([
    watchStatus(api, print, sleep, signal, {
      facts: () => facts(client, journal.waiting().length),
      observe(reply) {
        if (reply.kind === 'answered' && reply.body.confirmed) void upload();
      },
    }),
    abortOf(signal).then(() => relay.stop()),
  ]);
}

async function openReader(config: RunConfig, world: World): Promise<Devices> {
  const { simulator, timeZone } = config;
  if (simulator === undefined) return { reader: await openPcscReader(config.reader, config, world) };
  const reader = simulatedReader(world.sleep);
  return {
    reader,
    control: await openSimulatorControl(
      simulator.port,
      cardFolder(simulator.cardsFolder, world.random),
      reader,
      timeZone,
      { defaultFaults: simulator.faults, again: config.screen !== undefined },
    ),
  };
}

async function openPcscReader(kind: ReaderKind, config: RunConfig, { sleep, elapsed }: World): Promise<Reader> {
  const { obstacle, binding } = pcscDevices(kind, config.pcscdSocket);
  return pcscReader({ binding: await binding(), obstacle, readerName: config.readerName, sleep, elapsed });
}

/** Obstacles between this program and a card reader. */
export function pcscDevices(kind: ReaderKind, socket: string) {
  return {
    obstacle: () => (thisHost().hasPcscd ? pcscdObstacle(socket) : Promise.resolve(undefined)),
    binding: () => (kind === 'nfc-pcsc' ? nfcPcscBinding() : smartcardBinding()),
  };
}
