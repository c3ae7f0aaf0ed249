/** The terminal's link to the service: its pairing, and the polling of its status. */
import type { RunConfig } from '../config.js';
import type { Facts } from '../device-facts.js';
import type { TerminalKey } from '../key.js';
import { fileDisk, journalFile, type OfflineJournal, openJournal } from '../offline/journal.js';
import { uploads } from '../offline/upload.js';
import { registerThisPc } from '../pair.js';
import { type Registration, storeRegistration } from '../registration.js';
import { createServiceClient, type ServiceClient } from '../request.js';
import { loadStatus, type StoredStatus, storeStatus } from '../stored-status.js';
import { type CallResult, type TerminalApi, type TerminalStatus, terminalApi } from '../terminal-api.js';
import { watchStatus } from '../watch-status.js';
import type { World } from '../world.js';
import { changesBy } from './answers.js';
import type { Conditions } from './machine.js';
import type { Stage } from './stage.js';

/** Milliseconds between two questions for the status: an administrator who issues or confirms is waiting. */
const pace = { usual: 5_000, confirming: 2_000 };

/** The pairing in force: everything that belongs to one terminal key. */
export interface Link {
  readonly terminalId: string;
  readonly client: ServiceClient;
  readonly api: TerminalApi;
  readonly journal: OfflineJournal;
  /** Ends the watch over its status. */
  readonly over: AbortController;
}

/** The terminal as it stands. */
export interface Terminal {
  key: TerminalKey;
  link?: Link;
  /** The service's last answer. */
  status?: StoredStatus | undefined;
}

const connectionOf = ({ serviceUrl, requestTimeout }: RunConfig, world: World) => ({
  serviceUrl,
  timeout: requestTimeout,
  ...world,
});

/** Takes up a pairing. */
export async function connect(
  terminal: Terminal,
  { terminalId }: Registration,
  config: RunConfig,
  world: World,
): Promise<Link> {
  const { key } = terminal;
  const client = createServiceClient({ ...connectionOf(config, world), signer: { terminalId, key } });
  const journal = await openJournal(fileDisk(journalFile(config.stateFolder, terminalId, key)));
  if (journal.damaged > 0) world.print(`Offline: ${journal.damaged} damaged lines of the journal are lost`);
  terminal.status = await loadStatus(config.stateFolder, terminalId);
  journal.raise(terminal.status?.offline_last_number ?? 0);
  const link = { terminalId, client, api: terminalApi(client, world.run), journal, over: new AbortController() };
  terminal.link = link;
  return link;
}

/**
 * Registers the key of this PC, or a new one if another terminal has it. A refused code leaves everything as it was.
 * @throws PairingFailed
 */
export async function pairByCode(
  terminal: Terminal,
  code: string,
  config: RunConfig,
  world: World,
): Promise<Registration> {
  const { stateFolder, serviceUrl } = config;
  const api = terminalApi(createServiceClient(connectionOf(config, world)));
  const { key, terminalId } = await registerThisPc(code, api, terminal.key, { ...world, stateFolder });
  terminal.key = key;
  const registration = { terminalId, serviceUrl: serviceUrl.href };
  await storeRegistration(stateFolder, registration);
  world.print(`Terminal: ${terminalId}`);
  world.print(`Fingerprint: ${key.fingerprint}`);
  return registration;
}

export function conditionsOf({ key, link, status }: Terminal): Partial<Conditions> {
  return {
    fingerprint: key.fingerprint,
    place: status?.name,
    info: status?.offers.info ?? false,
    infoWithoutPin: status?.offers.info_without_pin ?? false,
    recordsOffline:
      status?.offers.offline === true && status.seal_key !== undefined && link?.journal.stopped() === false,
    waiting: link?.journal.waiting().length ?? 0,
  };
}

/** Polls the terminal's status, and uploads the stamps that were recorded without the service. */
export function watch(
  terminal: Terminal,
  link: Link,
  {
    stage,
    facts,
    stateFolder,
    world: { print, sleep },
    signal,
  }: {
    readonly stage: Stage;
    readonly facts: Facts;
    readonly stateFolder: string;
    readonly world: World;
    readonly signal: AbortSignal;
  },
): void {
  const { client, api, over, terminalId, journal } = link;
  const ending = AbortSignal.any([signal, over.signal]);
  const upload = uploads(journal, api, print, () => {
    if (!over.signal.aborted) stage.send({ kind: 'conditions', changes: conditionsOf(terminal) });
  });
  const observe = (reply: CallResult<TerminalStatus>): void => {
    if (ending.aborted) return;
    const changes = changesBy(reply, stage.door().conditions);
    if (reply.kind === 'answered') {
      terminal.status = reply.body;
      journal.raise(reply.body.offline_last_number);
      storeStatus(stateFolder, terminalId, reply.body).catch((error: unknown) => print(`Status: ${String(error)}`));
      if (reply.body.confirmed) void upload();
    }
    stage.send({ kind: 'conditions', changes: { ...conditionsOf(terminal), ...changes } });
  };
  void watchStatus(api, print, sleep, ending, {
    observe,
    facts: () => facts(client, journal.waiting().length),
    intervalOf: ({ body }) => (body.confirmed ? pace.usual : pace.confirming),
  });
}
