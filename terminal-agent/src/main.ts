import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { Agent, fetch as undiciFetch } from 'undici';
import { type CardFamily, cardFamilies } from '../simulator/card-file.js';
import { cardFolder, NoSuchCard } from './card-folder.js';
import {
  ConfigurationFaults,
  configurationExitCode,
  type Environment,
  readCardsConfig,
  readRunConfig,
  readServiceConfig,
  readStateConfig,
} from './config.js';
import { loadOrCreateKey, newKey } from './key.js';
import { confirmed, PairingFailed, register } from './pair.js';
import { storeRegistration } from './registration.js';
import { createServiceClient, type Fetch } from './request.js';
import { ReaderBroken, run } from './run.js';
import { sleep } from './sleep.js';
import { terminalApi } from './terminal-api.js';
import type { World } from './world.js';

const usage = `The program of an entrance PC.

  run                        relay between card reader and service (also without a command)
  pair <code> [--new-key]    register this PC with a pairing code, and wait for the confirmation
  fingerprint                print the fingerprint of this PC's key
  new-card --name <name> [--family desfire|desfire-ev1|desfire-ev2|desfire-ev3|ntag424] [--uid <14 hexadecimal digits>]
                             put a simulated card in factory state into CARDS_DIR

Settings come from the environment; see README.md.`;

/** EX_USAGE of sysexits.h. */
const usageExitCode = 64;
/** Milliseconds between a request to stop and the end, whatever still hangs. */
const stopPatience = 8_000;

const random = (length: number): Uint8Array => Uint8Array.from(randomBytes(length));
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

function world(): World {
  // One stamp is five or six requests: a connection that stays open spares most of them the handshake.
  const dispatcher = new Agent({ connections: 4, keepAliveTimeout: 60_000, connect: { timeout: 5_000 } });
  const fetch: Fetch = (url, init) => undiciFetch(url, { ...init, dispatcher });
  const device = `Clockproof terminal agent on ${hostname()}, ${process.platform}`;
  return { fetch, now: Date.now, random, sleep, print, device };
}

async function pair(code: string, withNewKey: boolean, env: Environment, signal: AbortSignal): Promise<void> {
  const config = readServiceConfig(env);
  const fresh = withNewKey ? newKey(random) : undefined;
  const key = fresh ?? (await loadOrCreateKey(config.stateFolder, random));
  const client = { serviceUrl: config.serviceUrl, timeout: config.requestTimeout, ...world() };
  const { terminalId } = await register(code, terminalApi(createServiceClient(client)), key, client.device);
  // A refused code leaves a working terminal as it was. If the process dies here, the service knows a key that is lost:
  // the terminal has to be paired again.
  await fresh?.save(config.stateFolder);
  await storeRegistration(config.stateFolder, { terminalId, serviceUrl: config.serviceUrl.href });
  print(`Terminal: ${terminalId}`);
  print(`Fingerprint: ${key.fingerprint}`);
  print("Compare it with the one on the terminal's page and confirm there.");
  const name = await confirmed(
    terminalApi(createServiceClient({ ...client, signer: { terminalId, key } })),
    sleep,
    print,
    signal,
  );
  if (name !== undefined) print(`Confirmed: ${name}`);
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

class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

async function command(args: readonly string[], env: Environment, signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args);
  const [name = 'run', ...rest] = positionals;
  if (values.help) return print(usage);
  if (name === 'run' && rest.length === 0) return run(readRunConfig(env), world(), signal);
  if (name === 'pair' && rest.length === 1) return pair(rest[0]!, values['new-key'], env, signal);
  if (name === 'fingerprint' && rest.length === 0)
    return print((await loadOrCreateKey(readStateConfig(env).stateFolder, random)).fingerprint);
  if (name === 'new-card' && rest.length === 0) return newCard(values, env);
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
  if (error instanceof UsageFault) {
    complain(error.message);
    return usageExitCode;
  }
  const known =
    error instanceof PairingFailed || error instanceof NoSuchCard || (error instanceof Error && 'syscall' in error);
  complain(known ? error.message : String(error instanceof Error ? error.stack : error));
  return 1;
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
command(process.argv.slice(2), process.env, stop.signal).then(
  () => process.exit(0),
  (error: unknown) => (error instanceof ReaderBroken ? endAtOnce() : process.exit(exitCodeFor(error))),
);
