import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ConfigurationFaults, type RunConfig } from './config.js';
import type { Host } from './host.js';
import { keyFile, loadOrCreateKey, type TerminalKey } from './key.js';
import { fileDisk, journalFile, journalFolder, openJournal } from './offline/journal.js';
import type { PcscBinding } from './reader/pcsc.js';
import { type Registration, registrationIfThere } from './registration.js';
import { createServiceClient } from './request.js';
import { screenAt } from './screen/server.js';
import { accessFault, inaccessibleState, notAllowed } from './service-user.js';
import { readIfThere } from './state-file.js';
import { terminalApi } from './terminal-api.js';
import { refusalSentence } from './watch-status.js';
import type { World } from './world.js';

/** One line for the person who installs or looks after the terminal. */
export interface Check {
  readonly about: string;
  readonly state: 'ok' | 'warning' | 'fault';
  /** The finding, and unless it is `ok` the remedy. */
  readonly text: string;
}

const ok = (about: string, text: string): Check => ({ about, state: 'ok', text });
const warning = (about: string, text: string): Check => ({ about, state: 'warning', text });
const fault = (about: string, text: string): Check => ({ about, state: 'fault', text });

/** Milliseconds by which the PC's clock may be wrong without a word. */
const tolerance = 5_000;

/** The condition of this terminal: its pairing, the service, and the stamps that wait. Changes nothing. */
export async function statusChecks(config: RunConfig, world: World, host: Host): Promise<Check[]> {
  const inaccessible = await inaccessibleState(config.stateFolder);
  if (inaccessible !== undefined) return [fault('files', notAllowed(inaccessible))];
  const checks: Check[] = [];
  const key = await presentKey(config, world, host, checks);
  const registration = await pairing(config, checks);
  checks.push(...(await service(config, world, key, registration)));
  if (key !== undefined && registration !== undefined) checks.push(...(await journal(config, key, registration)));
  return checks;
}

/** Everything an installer has to get right: in addition the card reader and the screen. */
export async function doctorChecks(
  config: RunConfig,
  world: World,
  host: Host,
  devices: { readonly obstacle: () => Promise<string | undefined>; readonly binding: () => Promise<PcscBinding> },
): Promise<Check[]> {
  const checks = await statusChecks(config, world, host);
  checks.push(...(await reader(config, world, host, devices)));
  checks.push(await screen(config));
  return checks;
}

async function presentKey(
  config: RunConfig,
  world: World,
  host: Host,
  checks: Check[],
): Promise<TerminalKey | undefined> {
  const path = keyFile(config.stateFolder);
  try {
    if ((await readIfThere(path)) === undefined) {
      checks.push(warning('key', `there is none yet in ${config.stateFolder}; pairing makes one`));
      return undefined;
    }
    const key = await loadOrCreateKey(config.stateFolder, world.random);
    const folder = await stat(config.stateFolder);
    checks.push(
      host.hasModes && (folder.mode & 0o022) !== 0
        ? fault('key', `others may write to ${config.stateFolder}: chmod 700`)
        : ok('key', `fingerprint ${key.fingerprint}`),
    );
    return key;
  } catch (error) {
    checks.push(fault('key', sentenceOf(error)));
    return undefined;
  }
}

async function pairing(config: RunConfig, checks: Check[]): Promise<Registration | undefined> {
  try {
    const registration = await registrationIfThere(config.stateFolder, config.serviceUrl);
    checks.push(
      registration === undefined
        ? fault(
            'pairing',
            'not paired: add a terminal on the admin pages, then pair <code>, or type the code at the door',
          )
        : ok('pairing', registration.terminalId),
    );
    return registration;
  } catch (error) {
    checks.push(fault('pairing', sentenceOf(error)));
    return undefined;
  }
}

async function service(
  config: RunConfig,
  world: World,
  key: TerminalKey | undefined,
  registration: Registration | undefined,
): Promise<Check[]> {
  const address = config.serviceUrl.href;
  const signer =
    key !== undefined && registration !== undefined ? { key, terminalId: registration.terminalId } : undefined;
  const client = createServiceClient({
    serviceUrl: config.serviceUrl,
    timeout: config.requestTimeout,
    ...world,
    ...(signer === undefined ? {} : { signer }),
  });
  const start = world.elapsed();
  if (signer === undefined) {
    const reply = await client.call({ method: 'GET', path: '/api/v1/status' });
    if (reply.kind === 'refused' && reply.status === 404)
      return [fault('service', `${address} leads to another program, or to another path of this one`)];
    return reply.kind === 'unanswered'
      ? [fault('service', `${address} does not answer: ${reply.reason}`)]
      : [ok('service', `${address} answers in ${Math.round(world.elapsed() - start)} ms`)];
  }
  const reply = await terminalApi(client).status();
  const duration = Math.round(world.elapsed() - start);
  if (reply.kind === 'unanswered') return [fault('service', `${address} does not answer: ${reply.reason}`)];
  if (reply.kind === 'refused') {
    return [ok('service', `${address} answers in ${duration} ms`), fault('terminal', refusalSentence(reply))];
  }
  const aheadMs = Date.parse(reply.body.server_time) - (world.now() - duration / 2);
  const skew = `${Math.abs(Math.round(aheadMs / 1_000))} s ${aheadMs > 0 ? 'behind' : 'ahead of'} the service`;
  const { name, location, confirmed, offers } = reply.body;
  const label = location === undefined ? name : `${name}, ${location}`;
  const offerNames = (['info', 'badge_and_pin', 'offline'] as const).filter((offer) => offers[offer]);
  return [
    ok('service', `${address} answers in ${duration} ms`),
    Math.abs(aheadMs) > tolerance
      ? warning(
          'clock',
          `${skew}: requests are corrected, offline stamps after a restart are not. Switch on time synchronisation`,
        )
      : ok('clock', `agrees with the service; the door shows times of ${config.timeZone}`),
    confirmed
      ? ok('terminal', `${label}: confirmed${offerNames.length === 0 ? '' : `, offers ${offerNames.join(', ')}`}`)
      : fault('terminal', `${label}: not confirmed. Compare the fingerprint on its page and confirm there`),
  ];
}

async function journal(config: RunConfig, key: TerminalKey, { terminalId }: Registration): Promise<Check[]> {
  const journalPath = journalFile(config.stateFolder, terminalId, key);
  const { waiting, stopped, damaged } = await openJournal({
    ...fileDisk(journalPath),
    truncate: () => Promise.reject(),
  });
  const count = waiting().length;
  const checks = stopped()
    ? [fault('offline', 'another device uses the key of this terminal: pair it again with --new-key')]
    : [ok('offline', count === 0 ? 'no stamps wait' : `${count} stamps wait`)];
  if (damaged > 0) checks.push(warning('offline', `${damaged} lines of the journal are damaged`));
  const files = await readdir(journalFolder(config.stateFolder)).catch(() => []);
  for (const name of files.filter((file) => file.endsWith('.journal') && file !== basename(journalPath))) {
    const otherJournal = await openJournal({
      ...fileDisk(join(journalFolder(config.stateFolder), name)),
      truncate: () => Promise.reject(),
    });
    if (otherJournal.waiting().length > 0)
      checks.push(
        warning(
          'offline',
          `${otherJournal.waiting().length} stamps of an earlier pairing can no longer be uploaded: ${name}`,
        ),
      );
  }
  return checks;
}

async function reader(
  config: RunConfig,
  { sleep }: World,
  host: Host,
  devices: { readonly obstacle: () => Promise<string | undefined>; readonly binding: () => Promise<PcscBinding> },
): Promise<Check[]> {
  if (config.reader === 'simulated') return [ok('reader', 'simulated')];
  const checks: Check[] = [];
  const obstacle = host.hasPcscd ? await devices.obstacle() : undefined;
  if (obstacle !== undefined) return [fault('pcscd', `${obstacle}: systemctl enable --now pcscd.socket`)];
  if (host.hasPcscd) checks.push(ok('pcscd', `answers at ${config.pcscdSocket}`));
  try {
    const binding = await devices.binding();
    const names = new Set<string>();
    let failure: string | undefined;
    const { close } = binding.open({
      attached: (name) => names.add(name),
      detached: (name) => names.delete(name),
      inserted: () => undefined,
      mute: () => undefined,
      removed: () => undefined,
      failed: (reason) => {
        failure = reason;
      },
    });
    await sleep(2_000);
    close();
    const matchingNames = [...names].filter(
      (name) => config.readerName === undefined || name.includes(config.readerName),
    );
    if (matchingNames.length > 0) checks.push(ok('reader', matchingNames.join('; ')));
    else if (failure !== undefined) checks.push(fault('reader', failure));
    else if (names.size > 0)
      checks.push(fault('reader', `none has "${config.readerName}" in its name: ${[...names].join('; ')}`));
    else checks.push(fault('reader', 'none is connected, or the kernel holds it: see the guide on PN53x readers'));
  } catch (error) {
    checks.push(fault('reader', sentenceOf(error)));
  }
  return checks;
}

async function screen({ screen: settings }: RunConfig): Promise<Check> {
  if (settings === undefined) return warning('screen', 'off: SCREEN_PORT is not set');
  const address = `http://127.0.0.1:${settings.port}/`;
  switch (await screenAt(settings.port)) {
    case 'ours':
      return ok('screen', address);
    case 'another':
      return fault('screen', `another program listens at ${address}: stop it, or choose another SCREEN_PORT`);
    case 'none':
      return warning('screen', `nothing answers at ${address}: start the service`);
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof ConfigurationFaults) return error.faults.join('; ');
  return accessFault(error) ?? (error instanceof Error ? error.message : String(error));
}
