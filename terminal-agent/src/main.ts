#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici';
import { type CardFamily, cardFamilies } from '../simulator/card-file.js';
import { readFaults, UnknownFault } from '../simulator/faults.js';
import { insertCard } from '../simulator/vpcd.js';
import { cardFolder, NoSuchCard } from './card-folder.js';
import { type Check, doctorChecks, statusChecks } from './checks.js';
import {
  ConfigurationFaults,
  configurationExitCode,
  type Environment,
  readCardsConfig,
  readRunConfig,
  readServiceConfig,
  readStateConfig,
  thisHost,
} from './config.js';
import { withConfigFile } from './config-file.js';
import { loadOrCreateKey } from './key.js';
import { PairingFailed, registerNewKey, registerThisPc, waitForConfirmation } from './pair.js';
import { storeRegistration } from './registration.js';
import { createServiceClient, type Fetch } from './request.js';
import { pcscDevices, ReaderBroken, run } from './run.js';
import { accessFault, becomeOwnerOf } from './service-user.js';
import { sleep } from './sleep.js';
import { readIfThere } from './state-file.js';
import { terminalApi } from './terminal-api.js';
import type { World } from './world.js';

const usage = `The program of an entrance PC.

  run                        relay between card reader and service, with the screen of the door (also without a command)
  simulate [--fault <faults>]
                             the same with simulated cards and a screen, for trials
  insert --name <name> [--fault <faults>] [--port 35963]
                             put a simulated card of CARDS_DIR into the virtual reader of a pcscd with vpcd
  status                     print the state of pairing, service, clock and offline stamps
  doctor                     check everything an installation needs, including the card reader
  service-file               print the file that makes this system start the program, and the commands for it
  pair <code> [--new-key]    register this PC with a pairing code, and wait for the confirmation
  fingerprint                print the fingerprint of this PC's key
  new-card --name <name> [--family desfire|desfire-ev1|desfire-ev2|desfire-ev3|ntag424] [--uid <14 hexadecimal digits>]
                             put a simulated card in factory state into CARDS_DIR

Settings come from the environment, then from a file; see README.md.`;

// An entrance PC has more time than memory. The HTTP parser of undici is WebAssembly: optimising it takes 40 MB at
// once.
for (const flag of ['--liftoff-only', '--optimize-for-size']) setFlagsFromString(flag);

/** EX_USAGE of sysexits.h. */
const usageExitCode = 64;
/** Milliseconds between a request to stop and the end, even if something still hangs. */
const stopPatience = 8_000;

const random = (length: number): Uint8Array => Uint8Array.from(randomBytes(length));
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

async function world(env: Environment): Promise<World> {
  // Node reads NODE_EXTRA_CA_CERTS of the environment itself; that of the file is for us to read.
  const extra = process.env['NODE_EXTRA_CA_CERTS'] === undefined ? env['NODE_EXTRA_CA_CERTS'] : undefined;
  const tls = extra === undefined ? {} : { ca: [...rootCertificates, await certificate(extra)] };
  const proxy = env['HTTPS_PROXY'] ?? env['https_proxy'];
  const exempt = env['NO_PROXY'] ?? env['no_proxy'];
  // One stamp is two requests or more: a connection that stays open spares most of them the handshake.
  const dispatcher = new EnvHttpProxyAgent({
    connections: 4,
    keepAliveTimeout: 60_000,
    connect: { timeout: 5_000, ...tls },
    requestTls: tls,
    ...(proxy === undefined ? {} : { httpsProxy: proxy }),
    ...(exempt === undefined ? {} : { noProxy: exempt }),
  });
  const fetch: Fetch = (url, init) => undiciFetch(url, { ...init, dispatcher });
  const device = `Clockproof terminal agent on ${hostname()}, ${process.platform}`;
  return {
    fetch,
    now: Date.now,
    elapsed: () => performance.now(),
    uptime: () => uptime() * 1_000,
    random,
    sleep,
    print,
    device,
  };
}

async function certificate(path: string): Promise<string> {
  const text = await readIfThere(path);
  if (text === undefined) throw new ConfigurationFaults([`NODE_EXTRA_CA_CERTS ${path} does not exist`]);
  return text;
}

async function pair(code: string, withNewKey: boolean, env: Environment, signal: AbortSignal): Promise<void> {
  const config = readServiceConfig(env);
  const client = { serviceUrl: config.serviceUrl, timeout: config.requestTimeout, ...(await world(env)) };
  const api = terminalApi(createServiceClient(client));
  const { key, terminalId } = withNewKey
    ? await registerNewKey(code, api, { ...client, ...config })
    : await registerThisPc(code, api, await loadOrCreateKey(config.stateFolder, random), { ...client, ...config });
  await storeRegistration(config.stateFolder, { terminalId, serviceUrl: config.serviceUrl.href });
  print(`Terminal: ${terminalId}`);
  print(`Fingerprint: ${key.fingerprint}`);
  print("Compare it with the one on the terminal's page and confirm there.");
  const name = await waitForConfirmation(
    terminalApi(createServiceClient({ ...client, signer: { terminalId, key } })),
    sleep,
    print,
    signal,
  );
  if (name === undefined)
    throw new PairingFailed("stopped before the confirmation, which is still possible on the terminal's page");
  print(`Confirmed: ${name}`);
}

async function newCard(
  options: { readonly name?: string | undefined; readonly family: string; readonly uid?: string | undefined },
  env: Environment,
): Promise<void> {
  const family = options.family === 'desfire' ? 'desfire-ev3' : options.family;
  if (options.name === undefined) throw new UsageFault('new-card needs --name');
  if (!isFamily(family)) throw new UsageFault(`--family is one of desfire, ${cardFamilies.join(', ')}`);
  // NXP's manufacturer code comes first in every UID of these cards.
  const uid = options.uid ?? `04${Buffer.from(random(6)).toString('hex')}`;
  if (!/^[0-9a-fA-F]{14}$/.test(uid)) throw new UsageFault('--uid is 14 hexadecimal digits');
  const path = await cardFolder(readCardsConfig(env).cardsFolder, random).create(
    options.name,
    family,
    Uint8Array.from(Buffer.from(uid, 'hex')),
  );
  print(`Card: ${path}`);
  print(`UID: ${uid.toLowerCase()}`);
}

function isFamily(name: string): name is CardFamily {
  return (cardFamilies as readonly string[]).includes(name);
}

/** With simulated cards and the screen, wherever the settings say nothing else. */
async function simulate(fault: string | undefined, env: Environment, signal: AbortSignal): Promise<void> {
  const { stateFolder } = readStateConfig(env);
  const folder = env['CARDS_DIR'] ?? join(stateFolder, 'cards');
  const simulatedEnv = {
    SIMULATOR_PORT: '7070',
    SCREEN_PORT: '8085',
    ...env,
    CARDS_DIR: folder,
    READER: 'simulated',
    ...(fault === undefined ? {} : { SIMULATOR_FAULTS: fault }),
  };
  const config = readRunConfig(simulatedEnv);
  const cards = cardFolder(folder, random);
  await cards.create('card-1', 'desfire-ev3', Uint8Array.of(4, ...random(6))).catch((error: unknown) => {
    if (!(error instanceof NoSuchCard)) throw error;
  });
  print(
    `Cards: ${folder}. To hold one to the reader: curl -H 'content-type: application/json' -d '{"present":"card-1"}'`,
  );
  return run(config, await world(env), signal);
}

/** Holds a card to the virtual reader of vpcd until the signal, or until it has left by a fault. */
async function insert(
  options: {
    readonly name?: string | undefined;
    readonly fault?: string | undefined;
    readonly port: string;
  },
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  if (options.name === undefined) throw new UsageFault('insert needs --name');
  if (!/^[1-9][0-9]{0,4}$/.test(options.port)) throw new UsageFault('--port is the port of vpcd');
  const cards = cardFolder(readCardsConfig(env).cardsFolder, random);
  const { card, store } = await cards.open(options.name, options.fault === undefined ? [] : readFaults(options.fault));
  const insertedCard = await insertCard(Number(options.port), card, () => 'answer', store);
  print(`In the reader: ${options.name}`);
  signal.addEventListener('abort', () => void insertedCard.remove(), { once: true });
  await insertedCard.removal;
  print(`Taken away after ${insertedCard.commands.length} commands`);
}

/** Something is wrong; it was printed. */
class FaultsFound extends Error {
  override readonly name = 'FaultsFound';
}

function tell(checks: readonly Check[]): void {
  const marks = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' };
  for (const { about, state, text } of checks) print(`${marks[state]}  ${about.padEnd(8)}  ${text}`);
  if (checks.some(({ state }) => state === 'fault')) throw new FaultsFound();
}

class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

async function command(args: readonly string[], env: Environment, signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args);
  const [name = 'run', ...restArguments] = positionals;
  if (values.help) return print(usage);
  if (name === 'run' && restArguments.length === 0) return run(readRunConfig(env), await world(env), signal);
  if (name === 'simulate' && restArguments.length === 0) return simulate(values.fault, env, signal);
  if (name === 'insert' && restArguments.length === 0) return insert(values, env, signal);
  if (name === 'status' && restArguments.length === 0)
    return tell(await statusChecks(readRunConfig(env), await world(env), thisHost()));
  if (name === 'doctor' && restArguments.length === 0) {
    const config = readRunConfig(env);
    return tell(
      await doctorChecks(config, await world(env), thisHost(), pcscDevices(config.reader, config.pcscdSocket)),
    );
  }
  if (name === 'service-file' && restArguments.length === 0) {
    const { path, content, steps } = thisHost().service;
    return print([`# ${path}`, content, ...steps.map((step) => `# ${step}`)].join('\n'));
  }
  if (name === 'pair' && restArguments.length === 1) return pair(restArguments[0]!, values['new-key'], env, signal);
  if (name === 'fingerprint' && restArguments.length === 0)
    return print((await loadOrCreateKey(readStateConfig(env).stateFolder, random)).fingerprint);
  if (name === 'new-card' && restArguments.length === 0) return newCard(values, env);
  throw new UsageFault(usage);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        'new-key': { type: 'boolean', default: false },
        name: { type: 'string' },
        family: { type: 'string', default: 'desfire' },
        uid: { type: 'string' },
        fault: { type: 'string' },
        port: { type: 'string', default: '35963' },
      },
    });
  } catch (error) {
    throw new UsageFault(`${(error as Error).message}\n\n${usage}`);
  }
}

function exitCodeFor(error: unknown): number {
  if (error instanceof ConfigurationFaults) {
    for (const fault of error.faults) complain(`configuration: ${fault}`);
    return configurationExitCode;
  }
  // Starting again does not help either: somebody has to give the file to this user.
  const notAllowed = accessFault(error);
  if (notAllowed !== undefined) {
    complain(`configuration: ${notAllowed}`);
    return configurationExitCode;
  }
  if (error instanceof FaultsFound) return 1;
  if (error instanceof UsageFault) {
    complain(error.message);
    return usageExitCode;
  }
  const isExpected =
    error instanceof PairingFailed ||
    error instanceof NoSuchCard ||
    error instanceof UnknownFault ||
    (error instanceof Error && 'syscall' in error);
  complain(isExpected ? error.message : String(error instanceof Error ? error.stack : error));
  return 1;
}

/** The settings, as the user of the service reads them. */
async function settings(): Promise<Environment> {
  const readEnvironment = () => withConfigFile(process.env, thisHost().configFile);
  const env = await readEnvironment();
  return (await becomeOwnerOf(readStateConfig(env).stateFolder, process)) ? readEnvironment() : env;
}

/** An ordinary exit waits for the native libraries' threads, also for one that waits inside pcscd for ever. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) return endAtOnce();
    stop.abort();
    setTimeout(endAtOnce, stopPatience).unref();
  });
}

// The native libraries leave threads behind that would keep the process alive: it ends here, and says how.
settings()
  .then((env) => command(process.argv.slice(2), env, stop.signal))
  .then(
    () => process.exit(0),
    (error: unknown) => (error instanceof ReaderBroken ? endAtOnce() : process.exit(exitCodeFor(error))),
  );
