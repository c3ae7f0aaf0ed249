/**
 * `make run`: the whole product on one machine. A simulated ledger, the indexer, the service with a demo company, a
 * terminal with a simulated reader. Somebody stamps at the door; the
 * event, the anchored root and its verdict are looked at as a customer would. The data stays, so a second start goes on
 * where this one ended. `--once` does it without waiting
 * afterwards and exits 0 only if stamp, event and verdict are right.
 */

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { base62 } from '@clockproof/platform/bytes/random-text';
import { createLog } from '@clockproof/platform/log';
import { hour } from '@clockproof/platform/time/instant';
import { localDateAt, startOfDay } from '@clockproof/platform/time/local-date';
import { generateSync } from 'otplib';
import { setPassword } from '../src/access/credentials.js';
import { createPasswords } from '../src/access/password.js';
import { enrolTotp } from '../src/access/second-factor/second-factor.js';
import { toBase32 } from '../src/access/second-factor/totp.js';
import { readConfig } from '../src/config.js';
import { type Service, startService } from '../src/service.js';
import { blockBadge, companyCardKey, uidHash } from '../src/terminals/badges/badges.js';
import { findBadge } from '../src/terminals/badges/rows.js';
import { badgeKey } from '../src/terminals/cards/diversify.js';
import { startIssuing } from '../src/terminals/issuing.js';
import { confirmTerminal, issuePairingCode } from '../src/terminals/pairing.js';
import { findTerminal } from '../src/terminals/rows.js';
import { firstDayOfStory } from './calendar.js';
import { cast } from './cast.js';
import { addIntegrations, foundCompanies, type Holder, holdersOf, system, usersOf } from './company.js';
import { needFreePort, type Running, start } from './processes.js';
import { anchor, json } from './stage/anchoring.js';
import type { Door } from './stage/scene.js';
import { openStage } from './stage/stage.js';
import { tellStory } from './story.js';
import { readTarget, type Target, type TargetBadge, type TargetCompany, writeTarget } from './target.js';

const usage = `make run ARGS="OPTION …"
  --fresh                begin with a new demo company
  --once                 stamp once, compare everything and end
  --data FOLDER          where the demo keeps its data (data/demo)
  --service-port PORT    --indexer-port PORT    --ledger-port PORT    --reader-port PORT    --demo-port PORT
  --database URL         a PostgreSQL in place of SQLite
  --listen-port PORT     where the service listens, if a balancer has --service-port`;

const options = readOptions();
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const data = resolve(repository, options.data ?? (options.once ? 'data/demo-once' : 'data/demo'));
const portOf = (
  option: 'service-port' | 'indexer-port' | 'ledger-port' | 'reader-port' | 'demo-port',
  otherwise: number,
): number => {
  const port = Number(options[option] ?? process.env[option.toUpperCase().replace('-', '_')] ?? otherwise);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--${option} must be a port`);
  return port;
};

const steps: Pick<Running, 'stop'>[] = [];
let service: Service | undefined;
let interrupted = false;
let stopping: Promise<void> | undefined;
const stopAll = () =>
  (stopping ??= (async () => {
    for (const running of steps.reverse()) await running.stop();
    await service?.close();
  })());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!interrupted) console.log('\nstopping');
    interrupted = true;
    void stopAll().then(() => process.exit(0));
  });
}

/** Ends with the list of options where it is asked for (0), or where one is unknown (64, EX_USAGE). */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        once: { type: 'boolean', default: false },
        fresh: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        data: { type: 'string' },
        'service-port': { type: 'string' },
        'indexer-port': { type: 'string' },
        'ledger-port': { type: 'string' },
        'reader-port': { type: 'string' },
        'demo-port': { type: 'string' },
        // A PostgreSQL in place of the file, and a port of its own where a balancer has the service's.
        database: { type: 'string' },
        'listen-port': { type: 'string' },
      },
    });
    if (!values.help) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message.split(/\.\s/)[0]}\n\n${usage}`);
    process.exit(64);
  }
}

let step = 0;
const say = (text: string) => console.log(`${String(++step).padStart(2)}. ${text}`);

try {
  await run();
} catch (error) {
  // A signal during the start breaks whatever was waited for; that is no failure.
  const failed = !interrupted;
  await stopAll();
  if (failed) console.error(`\nfailed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(failed ? 1 : 0);
}

async function run(): Promise<void> {
  const ports = {
    service: portOf('service-port', options.once ? 18_080 : 8080),
    indexer: portOf('indexer-port', options.once ? 18_090 : 8090),
    ledger: portOf('ledger-port', options.once ? 18_091 : 8091),
    reader: portOf('reader-port', options.once ? 18_092 : 8092),
    demo: portOf('demo-port', options.once ? 18_093 : 8093),
  };
  const listenPort = options['listen-port'] === undefined ? ports.service : Number(options['listen-port']);
  for (const [name, port] of Object.entries({ ...ports, service: listenPort }))
    await needFreePort(port, `ARGS="--${name}-port …"`);
  if (options.fresh || options.once) rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const targetFile = join(data, 'target.json');
  const known = readTarget(targetFile);
  if (known === undefined && existsSync(join(data, 'service.sqlite')))
    throw new Error(`${data} holds data but no target.json: start with ARGS=--fresh to make it again`);

  // ---- ledger and indexer
  const ledgerUrl = `http://127.0.0.1:${ports.ledger}`;
  const ledger = start(
    'ledger',
    join(repository, 'indexer/dist/simulator/main.js'),
    [],
    { PORT: String(ports.ledger), STATE_FILE: join(data, 'ledger.jsonl') },
    join(data, 'ledger.log'),
  );
  steps.push(ledger);
  await ledger.line(/anchor package (0x[0-9a-f]+)/);
  const { package: anchorPackage, sender } = (await json(`${ledgerUrl}/`)) as { package: string; sender: string };
  say(`a simulated ledger runs on ${ledgerUrl}/graphql (IOTA's GraphQL schema)`);

  const indexerUrl = `http://127.0.0.1:${ports.indexer}`;
  const indexer = start(
    'indexer',
    join(repository, 'indexer/dist/src/main.js'),
    [],
    {
      ACCEPT_TERMS: 'true',
      CHAIN_ANCHOR_PACKAGE: anchorPackage,
      CHAIN_NETWORK: 'devnet',
      CHAIN_GRAPHQL_URL: `${ledgerUrl}/graphql`,
      DB_DSN: join(data, 'indexer.sqlite'),
      LISTEN_ADDR: `127.0.0.1:${ports.indexer}`,
      BASE_URL: indexerUrl,
      POLL_INTERVAL: '2s',
      RATE_IP_PER_MINUTE: '600',
    },
    join(data, 'indexer.log'),
  );
  steps.push(indexer);
  await indexer.line(/"listening"/);
  say(`the indexer follows it and answers on ${indexerUrl}`);

  // ---- service
  const dataKeyFile = join(data, 'data.key');
  if (!existsSync(dataKeyFile)) writeFileSync(dataKeyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  const config = readConfig({
    LISTEN_ADDR: `127.0.0.1:${listenPort}`,
    ...(listenPort === ports.service ? {} : { TRUSTED_PROXIES: '127.0.0.1' }),
    BASE_URL: `http://localhost:${ports.service}`,
    ...(options.database === undefined
      ? { DB_DSN: join(data, 'service.sqlite') }
      : { DB_DRIVER: 'postgres', DB_DSN: options.database }),
    DATA_KEY: readFileSync(dataKeyFile, 'utf8'),
    RATE_IP_PER_MINUTE: '600',
    // A real installation names its operator.
    SECURITY_CONTACT: 'mailto:security@nordlicht-logistik.example',
    // The demo's receiver of webhooks is on this machine.
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  });
  const serviceLog = createLog('info', 'service', lineWriter(join(data, 'service.log')));
  service = await startService({ config, log: serviceLog });
  const { db } = service;
  const serviceUrl = `http://localhost:${ports.service}`;
  say(`the service answers on ${serviceUrl}, with SQLite under ${data}`);

  let target: Target;
  let holders: readonly Holder[];
  const holdersFile = join(data, 'holders.json');
  if (known === undefined) {
    const now = Date.now();
    const { timeZone } = cast[0]!;
    const from = firstDayOfStory(localDateAt(now, timeZone));
    const { store } = service;
    const founded = await store.write({ actor: system, at: startOfDay(from, timeZone) + 6 * hour }, foundCompanies);
    say(`two companies with ${founded.reduce((sum, { people }) => sum + people.length, 0)} people were made`);
    const stamps = await tellStory({ store, founded, from, now });
    say(`they have worked since ${from}: ${stamps} stamps, absences, a correction, requests that wait`);
    const integrations = await store.write({ actor: system, at: Date.now() }, (write) =>
      addIntegrations(write, founded, randomBytes, service!.sealingKeys, `http://127.0.0.1:${ports.demo}/webhooks`),
    );
    holders = holdersOf(founded[0]!);
    writeFileSync(holdersFile, JSON.stringify(holders));
    const companies = await giveCredentials(
      founded.map((company) => usersOf(company, newPassword)),
      service,
    );
    const admin = companies.flatMap((company) => company.users).find((user) => user.role === 'super_admin')!;
    target = {
      service: { url: serviceUrl },
      indexer: { url: indexerUrl },
      ledger: { url: `${ledgerUrl}/graphql` },
      super_admin: { email: admin.email, password: admin.password, totp_secret: admin.totp_secret },
      companies,
      extensions: integrations.extensions,
      terminals: [{ ...integrations.terminal, private_key: Buffer.alloc(32).toString('base64'), confirmed: false }],
      badges: [],
      proofs: [],
    };
    writeTarget(targetFile, target);
    say('four extensions and one terminal were added');
  } else {
    holders = JSON.parse(readFileSync(holdersFile, 'utf8')) as Holder[];
    target = {
      ...known,
      service: { url: serviceUrl },
      indexer: { url: indexerUrl },
      ledger: { url: `${ledgerUrl}/graphql` },
    };
    writeTarget(targetFile, target);
    say('the demo companies are there from last time');
  }
  const key = target.extensions.find((extension) => extension.acting === 'everyone')!.key;
  const nord = target.companies[0]!;

  // ---- terminal
  const terminal = target.terminals[0]!;
  const readerUrl = `http://127.0.0.1:${ports.reader}`;
  const stateFolder = join(data, 'terminal');
  const agentScript = join(repository, 'terminal-agent/dist/src/main.js');
  const agentEnv = {
    SERVICE_URL: `http://127.0.0.1:${ports.service}`,
    STATE_DIR: stateFolder,
    CARDS_DIR: join(data, 'cards'),
    READER: 'simulated',
    SIMULATOR_PORT: String(ports.reader),
    TIME_ZONE: 'Europe/Berlin',
  };
  const agentLog = join(data, 'terminal.log');
  if (!terminal.confirmed) {
    const { hashPairingCode } = service;
    const code = await service.store.write({ actor: system, at: Date.now() }, (write) =>
      issuePairingCode(write, terminal.id, terminal.company_id, randomBytes, hashPairingCode),
    );
    const pairing = start('pairing', agentScript, ['pair', code], agentEnv, agentLog);
    steps.push(pairing);
    const fingerprint = (await pairing.line(/^Fingerprint: (\S+)/))[1]!;
    const onThePage = (await findTerminal(db, terminal.id))!.fingerprint;
    if (fingerprint !== onThePage) throw new Error(`the terminal shows ${fingerprint}, its page ${String(onThePage)}`);
    await service.store.write({ actor: system, at: Date.now() }, (write) =>
      confirmTerminal(write, terminal.id, terminal.company_id, fingerprint),
    );
    await pairing.line(/^Confirmed: /);
    await pairing.stop();
    target = { ...target, terminals: [{ ...terminal, private_key: seedOf(stateFolder), confirmed: true }] };
    writeTarget(targetFile, target);
    say(
      `the terminal »${terminal.name}« was paired with ${code}; both sides show ${fingerprint}, and it was confirmed`,
    );
  }
  const agent = start('terminal', agentScript, ['run'], agentEnv, agentLog);
  steps.push(agent);
  await agent.line(/^Simulator: /);
  let quiet = true;
  agent.onLine((line) => {
    if (!quiet) console.log(`    at the door: ${line}`);
  });

  // ---- badges
  const newCard = async ({ card, uid, family }: Pick<Holder, 'card' | 'uid' | 'family'>) => {
    if (existsSync(join(data, 'cards', `${card}.json`))) return;
    const kind = family === 'desfire' ? 'desfire-ev3' : 'ntag424';
    const args = ['new-card', '--name', card, '--family', kind, '--uid', uid];
    const made = start('new card', agentScript, args, agentEnv, agentLog);
    await made.line(/^UID: /);
    await made.stop();
  };
  const issue = async (personId: number, card: string) => {
    await service!.store.write({ actor: system, at: Date.now() }, (write) =>
      startIssuing(write, terminal.id, { id: personId, company_id: nord.id }),
    );
    await present(readerUrl, card, 'issued');
    await remove(readerUrl);
  };
  for (const holder of holders.slice(target.badges.length)) {
    const person = nord.users.find((user) => user.id === holder.userId)!;
    await newCard(holder);
    await issue(person.id, holder.card);
    target = { ...target, badges: [...target.badges, await badgeOf(service, nord.id, holder)] };
    writeTarget(targetFile, target);
    say(
      `${person.first_name}'s badge was issued at the door (${holder.family === 'desfire' ? 'DESFire EV3' : 'NTAG 424 DNA'}, AES-128 key of its own)`,
    );
  }

  /** Jana's number without her key, a badge that was blocked, a card of nobody; and Jana's badge with each fault. */
  const prepareTricks = async (): Promise<Door['tricks']> => {
    const { uid, family, card: own } = holders[0]!;
    const blocked = { card: 'blocked', uid: '049e3c71b54f80', family: 'ntag424' as const };
    await newCard({ card: 'copied', uid, family });
    await newCard({ card: 'foreign', uid: '0455d0aa137e80', family });
    if (!existsSync(join(data, 'cards', 'blocked.json'))) {
      const tariq = nord.users.find((user) => user.first_name === 'Tariq')!;
      await newCard(blocked);
      await issue(tariq.id, blocked.card);
      const badge = await badgeOf(service!, nord.id, { ...blocked, userId: tariq.id });
      await service!.store.write({ actor: system, at: Date.now() }, (write) => blockBadge(write, badge.id, nord.id));
    }
    return [
      { card: 'copied', trick: 'copied' },
      { card: 'blocked', trick: 'blocked' },
      { card: 'foreign', trick: 'foreign' },
      { card: own, trick: 'replayed', fault: 'replay' },
      { card: own, trick: 'phone', fault: 'random-uid' },
      { card: own, trick: 'short', fault: 'gone:3' },
      { card: own, trick: 'wrong_key', fault: 'wrong-key' },
      { card: own, trick: 'factory', fault: 'factory' },
      { card: own, trick: 'torn', fault: 'torn:3' },
      { card: own, trick: 'aborted', fault: '91ca:3' },
      // Longer than a command may take.
      { card: own, trick: 'slow', fault: 'slow:3:5200' },
      { card: own, trick: 'relayed', fault: 'relayed:150', stamps: true },
    ];
  };

  // ---- the page that shows it all, and what its receiver of webhooks gets
  const anchoring = {
    ledgerUrl,
    indexerUrl,
    sender,
    companyToken: `ct_${createHash('sha256').update(`nordlicht ${anchorPackage}`).digest('hex').slice(0, 24)}`,
  };
  const tricks = options.once ? [] : await prepareTricks();
  const stage = await openStage({
    port: ports.demo,
    service,
    serviceUrl,
    readerUrl,
    target: () => target,
    anchoring,
    door: {
      terminal: terminal.name,
      badges: holders.map(({ userId, card }) => ({
        card,
        person_id: userId,
        first_name: nord.users.find((user) => user.id === userId)!.first_name,
      })),
      tricks,
    },
    timeZone: cast[0]!.timeZone,
    pageFolder: join(repository, 'service/dist/demo-page'),
  });
  steps.push(stage);

  // ---- a stamp at the door, seen by an integration
  const stamper = holders[0]!;
  const after = (await api(serviceUrl, '/api/v1/events?limit=1', key))['next_after'] as string;
  const position = await lastPosition(serviceUrl, key, after);
  const stamped = await present(readerUrl, stamper.card, 'stamped');
  await remove(readerUrl);
  say(`at the door: ${String(stamped['text'])}`);
  const expected = String(stamped['action']);
  const entries = (
    await api(
      serviceUrl,
      `/api/v1/time/entries?updated_since=${new Date(Date.now() - 120_000).toISOString()}&user_id=${stamper.userId}`,
      key,
    )
  )['data'] as { stamps: { action: string; proof?: string; source?: { id: string } }[] }[];
  // In order of change. The person may have clocked in elsewhere: each stamp has a source and a proof of its own.
  const entry = entries.at(-1);
  const newest = entry?.stamps.at(-1);
  if (newest?.action !== expected || newest.proof !== 'badge' || newest.source?.id !== terminal.id)
    throw new Error(`the stamp does not show the badge: ${JSON.stringify(entry)}`);
  const { data: events } = (await api(serviceUrl, `/api/v1/events?after=${position}&limit=500`, key)) as {
    data: { type: string; sequence: number; data: { clock_state: { user_id: number } } }[];
  };
  const event = events.find(
    (event) => event.type === `clock.${expected}` && event.data.clock_state.user_id === stamper.userId,
  );
  if (event === undefined) throw new Error(`no event clock.${expected} came: ${JSON.stringify(events)}`);
  say(`the stamp carries proof: badge, and the event ${event.type} (sequence ${event.sequence}) can be pulled`);

  // ---- the day's root on the ledger, checked by a stranger
  const { proof, root, verdict } = await anchor(anchoring, events, new Date().toISOString().slice(0, 10));
  const wrong = (await json(`${indexerUrl}/api/v1/verify/${proof.tx}?root=${'0'.repeat(64)}`)) as { verdict: string };
  if (verdict !== 'match' || wrong.verdict !== 'mismatch')
    throw new Error(`the verdict is ${verdict}, and ${wrong.verdict} for another root`);
  target = {
    ...target,
    proofs: [
      ...target.proofs,
      {
        tx: proof.tx,
        sender: proof.sender,
        company_token: proof.company_token,
        period: proof.period,
        merkle_root: proof.merkle_root,
      },
    ].slice(-20),
  };
  writeTarget(targetFile, target);
  say(
    `the root of these events was anchored in ${proof.tx}; the indexer's verdict: match (and mismatch for any other root)`,
  );

  if (options.once) {
    await stopAll();
    console.log('\nstamp, event and verdict are right');
    return;
  }
  quiet = false;
  await stage.follow(position);
  const roles = [
    ['employee', 'her own time: clock, month, absences'],
    ['approver', 'her department: who is here, what waits for a decision'],
    ['company_admin', 'the company: people, months, terminals'],
    ['super_admin', 'everything, integrations too'],
  ] as const;
  const links = roles.map(([role, sees]) => {
    const { id, first_name: firstName } = nord.users.find((user) => user.role === role)!;
    return `  ${firstName.padEnd(6)} ${stage.signInLink(id)}\n         ${sees}`;
  });
  const { email, password, totp_secret: totpSecret } = target.super_admin;
  const code = generateSync({ strategy: 'totp', secret: totpSecret, epoch: Math.floor(Date.now() / 1_000) });
  console.log(`
One stamp in four places – door, phone, supervisor, developer – side by side:

  ${stage.url}/

Or sign in (each link once; the page above makes new ones):

${links.join('\n')}

Or as everybody signs in, at ${serviceUrl}/:

  e-mail address   ${email}
  password         ${password}
  second factor    ${code} now, later from an authenticator app with the key ${totpSecret}

Or try the API. KEY is the key of the extension »Schichtplan«; every credential of the demo is in ${targetFile}.

  KEY=${key}

  curl ${serviceUrl}/api/v1/status
  curl -H "Authorization: Bearer $KEY" ${serviceUrl}/api/v1/users
  curl -H "Authorization: Bearer $KEY" "${serviceUrl}/api/v1/clock/states?limit=5"
  curl -X POST -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"user_id":${nord.users[3]!.id}}' ${serviceUrl}/api/v1/clock/in
  curl -H "Authorization: Bearer $KEY" "${serviceUrl}/api/v1/events"

Hold a badge to the reader at the door (also "emre" and "ole"):
  curl -H 'Content-Type: application/json' -d '{"present":"jana","wait":true}' ${readerUrl}/
  curl -H 'Content-Type: application/json' -d '{"remove":true}' ${readerUrl}/

Ask the verification service, which knows nothing of the operator (a page for people:
${indexerUrl}/#tx=${proof.tx}&root=${root} ):
  curl ${indexerUrl}/api/v1/status
  curl "${indexerUrl}/api/v1/verify/${proof.tx}?root=${root}"

Ctrl-C stops everything; the data stays.`);
}

function newPassword(): string {
  return Array.from({ length: 4 }, () => base62(4, randomBytes)).join('-');
}

/**
 * Passwords and second factors, so that people of the demo can sign in. Hashing is slow on purpose and done before
 * the transaction.
 */
async function giveCredentials(
  companies: readonly TargetCompany[],
  { store, sealingKeys: keys }: Service,
): Promise<TargetCompany[]> {
  const passwords = createPasswords();
  const result: TargetCompany[] = [];
  for (const company of companies) {
    const users = await Promise.all(
      company.users.map(async (user) => {
        const passwordHash = await passwords.hash(user.password);
        const secret = randomBytes(20);
        await store.write({ actor: system, at: Date.now() }, async (write) => {
          await setPassword(write, { personId: user.id, companyId: company.id, passwordHash });
          await enrolTotp(write, { personId: user.id, companyId: company.id, secret, keys });
        });
        return { ...user, totp_secret: toBase32(secret) };
      }),
    );
    result.push({ ...company, users });
  }
  return result;
}

async function badgeOf({ db, dataKey }: Service, companyId: number, { userId, uid }: Holder): Promise<TargetBadge> {
  const bytes = Buffer.from(uid, 'hex');
  const row = (await findBadge(db, companyId, uidHash(dataKey!, companyId, bytes)))!;
  const key = badgeKey(await companyCardKey(db, dataKey!, companyId, row.key_version), {
    uid: bytes,
    aid: Buffer.from(row.aid!, 'hex'),
    keyNumber: row.key_number,
  });
  return {
    id: row.id,
    user_id: userId,
    uid,
    family: row.family!,
    aid: row.aid!,
    key_number: row.key_number,
    key: Buffer.from(key).toString('hex'),
  };
}

/** Holds a card to the simulated reader and waits for what the person at the door reads. */
async function present(readerUrl: string, card: string, expected: string): Promise<Record<string, unknown>> {
  const outcome = (await json(`${readerUrl}/`, { present: card, wait: true })) as Record<string, unknown>;
  if (outcome['outcome'] !== expected && outcome['kind'] !== expected)
    throw new Error(`the card »${card}«: ${JSON.stringify(outcome)}`);
  return outcome;
}

async function remove(readerUrl: string): Promise<void> {
  await json(`${readerUrl}/`, { remove: true });
}

/** The newest position of the events that the key may see. */
async function lastPosition(serviceUrl: string, key: string, from: string): Promise<string> {
  let after = from;
  for (;;) {
    const page = (await api(serviceUrl, `/api/v1/events?after=${after}&limit=500`, key)) as {
      next_after: string;
      has_more: boolean;
    };
    after = page.next_after;
    if (!page.has_more) return after;
  }
}

async function api(serviceUrl: string, path: string, key: string): Promise<Record<string, unknown>> {
  const response = await fetch(serviceUrl + path, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${JSON.stringify(body)}`);
  return body;
}

/**
 * The terminal's key as tools want it, base64 of the 32-byte seed: which is how the terminal keeps it. Only the demo
 * may look into a terminal's folder.
 */
function seedOf(stateFolder: string): string {
  return readFileSync(join(stateFolder, 'terminal.key'), 'utf8').trim();
}

function lineWriter(file: string): { write(line: string): void } {
  return { write: (line) => writeFileSync(file, line, { flag: 'a' }) };
}
