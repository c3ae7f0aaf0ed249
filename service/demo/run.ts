/**
 * `make run`: the whole product on one machine. A simulated ledger, the indexer, the service with a demo company, the
 * anchor service, a terminal with a simulated reader. Last month is closed and anchored. A person stamps at the door;
 * the demo then looks at the event, the anchored root and its verdict as a customer would. The data stays, so a second
 * start goes on at the end of this one. `--once` does it without waiting afterwards and exits 0 only if stamp, event
 * and verdict are right.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Service } from '../src/service.js';
import { closeFirstMonth, startAnchorService } from './anchor.js';
import { cast } from './cast.js';
import { type Holder, holdersOf } from './company.js';
import {
  CardRefused,
  issueBadge,
  pairTerminal,
  prepareTricks,
  present,
  remove,
  seedOf,
  type TerminalProgram,
  terminalProgram,
} from './door.js';
import { equipCompanies, foundWorkingCompanies } from './installation.js';
import { lastPosition, pullStampEvent, requireBadgeStamp } from './integration.js';
import { type Ports, portsOf, readOptions } from './options.js';
import { needFreePort, stopPrograms } from './processes.js';
import { type Ledger, repository, startDemoService, startIndexer, startLedger } from './programs.js';
import { say } from './say.js';
import { type Anchored, type Anchoring, anchor, json } from './stage/anchoring.js';
import { openStage, type Stage } from './stage/stage.js';
import { readTarget, type Target, writeTarget } from './target.js';
import { welcomeText } from './welcome.js';

const options = readOptions();
const data = resolve(repository, options.data ?? (options.once ? 'data/demo-once' : 'data/demo'));
const targetFile = join(data, 'target.json');

let service: Service | undefined;
let stage: Stage | undefined;
let isInterrupted = false;
let stopPromise: Promise<void> | undefined;
const stopAll = () =>
  (stopPromise ??= (async () => {
    await stage?.stop();
    await stopPrograms();
    await service?.close();
  })());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!isInterrupted) console.log('\nstopping');
    isInterrupted = true;
    void stopAll().then(() => process.exit(0));
  });
}

try {
  await run();
} catch (error) {
  // A signal during the start breaks the step that was awaited; that is no failure.
  const hasFailed = !isInterrupted;
  await stopAll();
  if (hasFailed) console.error(`\nfailed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(hasFailed ? 1 : 0);
}

async function run(): Promise<void> {
  const ports = portsOf(options);
  await needFreePorts(ports);
  const previous = openFolder();

  const ledger = await startLedger(data, ports.ledger);
  say(`a simulated ledger runs on ${ledger.graphqlUrl} (IOTA's GraphQL schema)`);
  const indexerUrl = await startIndexer(data, ports.indexer, ledger);
  say(`the indexer follows it and answers on ${indexerUrl}`);
  service = await startDemoService(data, ports, options.database);
  const serviceUrl = `http://localhost:${ports.service}`;
  say(`the service answers on ${serviceUrl}, with SQLite under ${data}`);
  const direct = ports.listen === ports.service ? { direct: true } : {};
  const addresses = {
    service: { url: serviceUrl, ...direct },
    indexer: { url: indexerUrl },
    ledger: { url: ledger.graphqlUrl },
  };

  const companies = await openCompanies(service, previous, addresses, `http://127.0.0.1:${ports.demo}/webhooks`);
  const { holders } = companies;
  const month = previous === undefined ? await closeFirstMonth(service, companies.target.companies[0]!.id) : undefined;
  const anchorService = await startAnchorService(data, service, companies.target, ledger);
  say(
    month === undefined
      ? 'clockproof-anchor waits for the next month that is closed'
      : `${month} was closed, and clockproof-anchor writes its root to the ledger`,
  );
  const program = terminalProgram(data, ports);
  let target = await confirmedTerminal(service, companies.target, program);
  const door = program.start('terminal', ['run']);
  await door.line(/^Simulator: /);
  target = await issueBadges(service, target, program, holders);

  const anchoring = anchoringOf(ledger, indexerUrl);
  stage = await openDemoPage(service, ports, { target, program, holders, anchoring });
  const key = target.extensions.find((extension) => extension.acting === 'everyone')!.key;
  const { position, lastEvents } = await lastPosition(serviceUrl, key);
  const stamping = stampAtDoor(target, key, { holder: holders[0]!, readerUrl: program.readerUrl, position });
  const events = await stamping.catch(async (error: unknown) => {
    // In a demo that was used before, the badge may be blocked or the terminals switched off.
    if (previous === undefined || !(error instanceof CardRefused)) throw error;
    await remove(program.readerUrl);
    say(`nothing was stamped at the door: ${error.message}`);
    return [];
  });
  const anchored = await anchorEvents(anchoring, [...lastEvents, ...events]);
  target = save({ ...target, proofs: [...target.proofs, proofOf(anchored)].slice(-20) });

  if (month !== undefined) {
    await anchorService.line(new RegExp(`"period":"${month}".*"verdict":"match"`));
    say(`${month} is anchored: the index confirms root, company, period and sender`);
  }

  if (options.once) {
    await stopAll();
    console.log('\nstamp, event and verdict are right');
    return;
  }
  door.onLine((line) => console.log(`    at the door: ${line}`));
  await stage.follow(position);
  console.log(welcomeText({ target, targetFile, stage, readerUrl: program.readerUrl, key, anchored }));
}

async function needFreePorts({ service: _, listen, ...otherPorts }: Ports): Promise<void> {
  for (const [name, port] of Object.entries({ service: listen, ...otherPorts }))
    await needFreePort(port, `ARGS="--${name}-port …"`);
}

/** Makes the folder for the data. @returns the target of the demo that ran in it before, if one has */
function openFolder(): Target | undefined {
  if (options.fresh || options.once) rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const previous = readTarget(targetFile);
  if (previous === undefined && existsSync(join(data, 'service.sqlite')))
    throw new Error(`${data} holds data but no target.json: start with ARGS=--fresh to make it again`);
  return previous;
}

function save(target: Target): Target {
  writeTarget(targetFile, target);
  return target;
}

async function openCompanies(
  service: Service,
  previous: Target | undefined,
  addresses: Pick<Target, 'service' | 'indexer' | 'ledger'>,
  webhookUrl: string,
): Promise<{ readonly target: Target; readonly holders: readonly Holder[] }> {
  const holdersFile = join(data, 'holders.json');
  if (previous !== undefined) {
    const holders = JSON.parse(readFileSync(holdersFile, 'utf8')) as Holder[];
    const target = save({ ...previous, ...addresses });
    say('the demo companies are there from last time');
    return { target, holders };
  }
  const companies = await foundWorkingCompanies(service);
  const holders = holdersOf(companies[0]!);
  writeFileSync(holdersFile, JSON.stringify(holders));
  const target = save({ ...addresses, ...(await equipCompanies(service, companies, webhookUrl)) });
  say('four extensions and one terminal were added');
  return { target, holders };
}

/** Pairs the terminal and confirms it, unless it is. */
async function confirmedTerminal(service: Service, target: Target, program: TerminalProgram): Promise<Target> {
  const terminal = target.terminals[0]!;
  if (terminal.confirmed) return target;
  const { code, fingerprint } = await pairTerminal(service, terminal, program);
  const changedTarget = save({
    ...target,
    terminals: [{ ...terminal, private_key: seedOf(program), confirmed: true }],
  });
  say(`the terminal »${terminal.name}« was paired with ${code}; both sides show ${fingerprint}, and it was confirmed`);
  return changedTarget;
}

async function issueBadges(
  service: Service,
  target: Target,
  program: TerminalProgram,
  holders: readonly Holder[],
): Promise<Target> {
  let changedTarget = target;
  for (const holder of holders.slice(target.badges.length)) {
    const badge = await issueBadge(service, target.terminals[0]!, program, holder);
    changedTarget = save({ ...changedTarget, badges: [...changedTarget.badges, badge] });
    const family = holder.family === 'desfire' ? 'DESFire EV3' : 'NTAG 424 DNA';
    say(`${firstNameOf(target, holder)}'s badge was issued at the door (${family}, AES-128 key of its own)`);
  }
  return changedTarget;
}

function firstNameOf({ companies }: Target, { userId }: Holder): string {
  return companies[0]!.users.find((user) => user.id === userId)!.first_name;
}

function anchoringOf({ url: ledgerUrl, anchorPackage, sender }: Ledger, indexerUrl: string): Anchoring {
  const digest = createHash('sha256').update(`nordlicht ${anchorPackage}`).digest('hex');
  return { ledgerUrl, indexerUrl, sender, companyToken: `ct_${digest.slice(0, 24)}` };
}

/** The page that shows the whole demo and also receives the webhooks. */
async function openDemoPage(
  service: Service,
  ports: Ports,
  {
    target,
    program,
    holders,
    anchoring,
  }: {
    readonly target: Target;
    readonly program: TerminalProgram;
    readonly holders: readonly Holder[];
    readonly anchoring: Anchoring;
  },
): Promise<Stage> {
  const terminal = target.terminals[0]!;
  const tariq = target.companies[0]!.users.find((user) => user.first_name === 'Tariq')!;
  return openStage({
    port: ports.demo,
    service,
    serviceUrl: target.service.url,
    readerUrl: program.readerUrl,
    target,
    anchoring,
    door: {
      terminal: terminal.name,
      badges: holders.map((holder) => ({
        card: holder.card,
        person_id: holder.userId,
        first_name: firstNameOf(target, holder),
      })),
      tricks: options.once ? [] : await prepareTricks(service, terminal, program, holders[0]!, tariq.id),
    },
    timeZone: cast[0]!.timeZone,
    pageFolder: join(repository, 'service/dist/demo-page'),
  });
}

/** @returns the events since the position, the one of this stamp among them */
async function stampAtDoor(
  target: Target,
  key: string,
  { holder, readerUrl, position }: { readonly holder: Holder; readonly readerUrl: string; readonly position: string },
): Promise<readonly unknown[]> {
  const outcome = await present(readerUrl, holder.card, 'stamped');
  await remove(readerUrl);
  say(`at the door: ${String(outcome['text'])}`);
  const stamp = { personId: holder.userId, action: String(outcome['action']) };
  const { url } = target.service;
  await requireBadgeStamp(url, key, { ...stamp, terminalId: target.terminals[0]!.id });
  const { events, event } = await pullStampEvent(url, key, { ...stamp, position });
  say(`the stamp carries proof: badge, and the event ${event.type} (sequence ${event.sequence}) can be pulled`);
  return events;
}

/** The day's root on the ledger, checked by a stranger. @throws Error the verdict is wrong */
async function anchorEvents(anchoring: Anchoring, events: readonly unknown[]): Promise<Anchored> {
  const anchored = await anchor(anchoring, events, new Date().toISOString());
  // A verifier needs these beside the ledger: the records, byte by byte.
  writeFileSync(join(data, 'anchored.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const { proof, verdict } = anchored;
  const otherRoot = `${anchoring.indexerUrl}/api/v1/verify/${proof.tx}?root=${'0'.repeat(64)}`;
  const otherVerdict = (await json(otherRoot)) as { verdict: string };
  if (verdict !== 'match' || otherVerdict.verdict !== 'mismatch')
    throw new Error(`the verdict is ${verdict}, and ${otherVerdict.verdict} for another root`);
  say(
    `the root of these events was anchored in ${proof.tx}; the indexer's verdict: match (and mismatch for any other root)`,
  );
  return anchored;
}

/** The ledger's facts of an anchoring that tools read. */
function proofOf({ proof: { tx, sender, company_token, period, merkle_root } }: Anchored): Target['proofs'][number] {
  return { tx, sender, company_token, period, merkle_root };
}
