/**
 * Followers of the feed by list, long poll, WebSocket and webhook, while writers stamp through several processes and a
 * transaction is open nearly all the time; with kills of processes and server, or with a standby that takes over.
 * Counts the events that each follower missed, got twice under another id, or got out of order.
 * `make soak NAME=follow`; PROCESSES=4 CHANGES=100000 ARGS="kills", "promotion" or "synchronous".
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Database, DatabaseUnavailable } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { WebSocket } from 'ws';
import { recordExtension } from '../src/extensions/extensions.js';
import { createStore } from '../src/store/write.js';
import { type Member, startMember, stopMember } from './cluster.js';
import { addHooks, addWorkers } from './company.js';
import { binaries, owner, startPair } from './postgres-pair.js';
import { openAddress, waitForSynchronousStandby } from './standby-address.js';

const processes = Number(process.env['PROCESSES'] ?? 2);
const changes = Number(process.env['CHANGES'] ?? 10_000);
const mode = process.argv[2] ?? 'quiet';
const writers = 20;
const peopleEach = 5;

interface Received {
  readonly id: string;
  readonly sequence: number;
  readonly epoch: string;
  readonly data: { readonly clock_state: { readonly user_id: number } };
}

/** The events that one follower has handled, by id, in the order of arrival. */
class Follower {
  readonly byId = new Map<string, Received>();
  resyncs = 0;
  after: string | undefined;
  constructor(readonly name: string) {}
  take(event: Received): void {
    if (!this.byId.has(event.id)) this.byId.set(event.id, event);
    this.after = event.id;
  }
  /** The position is not of this history: reads everything again. */
  resync(): void {
    this.resyncs++;
    this.after = undefined;
  }
}

const pair = await startPair();
const address = await openAddress(pair);
const setUpDatabase = await openDatabase({ driver: 'postgres', dsn: pair.primary.dsn });
const { key, people } = await addWorkers(setUpDatabase, writers * peopleEach);
const receiver = createServer();
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
await addHooks(setUpDatabase, people[0]!, [(receiver.address() as { port: number }).port]);
const { company_id: companyId } = (await setUpDatabase.get<{ company_id: number }>(
  'SELECT company_id FROM people LIMIT 1',
))!;
const readScopes = ['read:clock_states', 'read:time_entries'] as const;
const keyFor = async (name: string, connection: 'api' | 'websocket') =>
  (
    await createStore(setUpDatabase).write({ actor: { kind: 'system' }, at: Date.now() }, (write) =>
      recordExtension(
        write,
        { name, mode: connection, acting: 'everyone', companyId, scopes: [...readScopes] },
        randomBytes,
      ),
    )
  ).key;
const [listKey, pollKey, socketKey] = [
  await keyFor('List', 'api'),
  await keyFor('Poll', 'api'),
  await keyFor('Socket', 'websocket'),
];
if (mode === 'synchronous') await waitForSynchronousStandby(setUpDatabase);
await setUpDatabase.close();

const env = {
  DB_DRIVER: 'postgres',
  DB_DSN: address.dsn,
  RATE_API_PER_MINUTE: '1000000',
  RATE_IP_PER_MINUTE: '1000000',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
};
const members: Member[] = await Promise.all(Array.from({ length: processes }, () => startMember(env)));
let turn = 0;
const url = () => `http://127.0.0.1:${members[turn++ % members.length]!.port}`;

let isOver = false;
let changeCount = 0;
async function stampOnAndOn(writer: number): Promise<void> {
  for (let step = 0; changeCount < changes; step++) {
    const person = people[writer * peopleEach + ((step >> 1) % peopleEach)]!;
    const answer = await fetch(`${url()}/api/v1/clock/${step % 2 === 0 ? 'in' : 'out'}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: person }),
    }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.status === 200) changeCount++;
    else await pause(50);
  }
}

/** Keeps a writing transaction open for two seconds: it holds the feed up, and nothing else. */
async function keepOneOpen(): Promise<void> {
  // Not before a promotion: followers that wait behind it would never meet the end that the standby lacks.
  while (!isOver && mode !== 'promotion') {
    const db = await openDatabase({ driver: 'postgres', dsn: address.dsn, poolSize: 1 });
    await db
      .write(async (tx) => {
        await tx.get(tx.dialect.order.number);
        await tx.get('SELECT 1 AS one, pg_sleep(2)');
      })
      .catch((error: unknown) => {
        if (!(error instanceof DatabaseUnavailable)) throw error;
      });
    await db.close();
  }
}

async function follow(follower: Follower, credential: string, wait: number): Promise<void> {
  let pageAfter = follower.after;
  while (!isOver) {
    const query = `${pageAfter === undefined ? '' : `after=${pageAfter}&`}${pageAfter === undefined ? '' : `wait=${wait}&`}limit=500`;
    const answer = await fetch(`${url()}/api/v1/events?${query}`, {
      headers: { authorization: `Bearer ${credential}` },
    }).catch(() => undefined);
    const body = (await answer?.json().catch(() => undefined)) as
      | { data: Received[]; next_after: string; code?: string }
      | undefined;
    if (answer?.status === 410) {
      follower.resync();
      pageAfter = undefined;
    } else if (answer?.status === 200 && body !== undefined) {
      for (const event of body.data) follower.take(event);
      pageAfter = body.next_after;
    }
    if (wait === 0 || answer?.status !== 200) await pause(50);
  }
}

async function followBySocket(follower: Follower): Promise<void> {
  while (!isOver) {
    const target = `${url().replace('http', 'ws')}/api/v1/extension/connect?after=${follower.after ?? firstPosition}`;
    const socket = new WebSocket(target, {
      headers: { authorization: `Bearer ${socketKey}` },
      perMessageDeflate: false,
    });
    await new Promise<void>((resolve) => {
      socket.on('unexpected-response', (_request, response) => {
        if (response.statusCode === 410) firstPosition = undefined;
        response.resume();
        socket.terminate();
      });
      socket.on('message', (text) => {
        const message = JSON.parse(String(text)) as { type: string; event: Received };
        if (message.type === 'event') follower.take(message.event);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      void overPromise.then(() => socket.terminate());
    });
    if (firstPosition === undefined && !isOver) {
      // The documented way out: the list in full, then its position.
      follower.resync();
      firstPosition = await readWholeList(follower);
    }
    await pause(100);
  }
}

/** @returns the position behind the list */
async function readWholeList(follower: Follower): Promise<string | undefined> {
  let position: string | undefined;
  let cursor: string | undefined;
  for (;;) {
    const cursorQuery = cursor === undefined ? '' : `&cursor=${cursor}`;
    const answer = await fetch(`${url()}/api/v1/events?limit=500${cursorQuery}`, {
      headers: { authorization: `Bearer ${socketKey}` },
    }).catch(() => undefined);
    if (answer?.status !== 200) {
      await pause(100);
      continue;
    }
    const body = (await answer.json()) as { data: Received[]; next_after: string; next_cursor: string | null };
    for (const event of body.data) follower.take(event);
    position = body.next_after;
    if (body.next_cursor === null) {
      follower.after = position;
      return position;
    }
    cursor = body.next_cursor;
  }
}

const [list, poll, socket, hook] = ['list', 'long poll', 'socket', 'webhook'].map((name) => new Follower(name)) as [
  Follower,
  Follower,
  Follower,
  Follower,
];
receiver.on('request', async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  hook.take(JSON.parse(Buffer.concat(chunks).toString()) as Received);
  response.end();
});
let firstPosition: string | undefined = (
  (await (await fetch(`${url()}/api/v1/events`, { headers: { authorization: `Bearer ${socketKey}` } })).json()) as {
    next_after: string;
  }
).next_after;
let finish = () => {};
const overPromise = new Promise<void>((resolve) => (finish = resolve));

/** The server may still be recovering. */
async function startAgain(): Promise<Member> {
  for (;;)
    try {
      return await startMember(env);
    } catch {
      await pause(200);
    }
}

async function disturb(): Promise<string> {
  if (mode === 'kills') {
    for (let round = 1; changeCount < changes; round++) {
      await pause(5_000);
      const victim = round % members.length;
      await stopMember(members[victim]!, 'SIGKILL');
      if (round % 3 === 0) {
        await pair.primary.kill();
        await pair.primary.start();
      }
      members[victim] = await startAgain();
    }
    return 'kills of processes every five seconds, and of the server every fifteen';
  }
  if (mode !== 'promotion' && mode !== 'synchronous') return 'undisturbed';
  while (changeCount < changes / 2) await pause(20);
  // Without a synchronous standby, commits of the last moment are lost.
  if (mode === 'promotion') {
    await pair.link(500);
    await pause(2_000);
  }
  await pair.primary.kill();
  await promisify(execFile)(
    fileURLToPath(new URL('../../packaging/standby/promote', import.meta.url)),
    [pair.standby.folder, '127.0.0.1', String(pair.primary.port)],
    { env: { PATH: process.env['PATH'] ?? '', PG_CTL: binaries.pg_ctl }, ...owner },
  );
  address.switchTo(pair.standby.port);
  return mode === 'promotion' ? 'an asynchronous standby took over' : 'a synchronous standby took over';
}

const startedAt = performance.now();
const loops = [follow(list, listKey, 0), follow(poll, pollKey, 20), followBySocket(socket), keepOneOpen()];
const [disturbance] = await Promise.all([
  disturb(),
  ...Array.from({ length: writers }, (_, writer) => stampOnAndOn(writer)),
]);
const seconds = (performance.now() - startedAt) / 1_000;

const server = mode === 'promotion' || mode === 'synchronous' ? pair.standby : pair.primary;
const db: Database = await openDatabase({ driver: 'postgres', dsn: server.dsn });
const storedEvents = await db.all<{ sequence: number; epoch: string }>(
  'SELECT sequence, epoch FROM events ORDER BY sequence',
);
const ids = storedEvents.map(({ sequence, epoch }) => `evt_${epoch}${sequence.toString(16).padStart(14, '0')}`);
// A killed process holds its endpoint for up to a minute: as long as events arrive, more may follow.
const followers = [list, poll, socket, hook];
const countEvents = () => followers.reduce((sum, { byId }) => sum + byId.size, 0);
const endedAt = performance.now();
let lastArrivalAt = endedAt;
for (let count = countEvents(); performance.now() - lastArrivalAt < 120_000; ) {
  if (followers.every(({ byId }) => ids.every((id) => byId.has(id)))) break;
  await pause(100);
  if (countEvents() > count) lastArrivalAt = performance.now();
  count = countEvents();
}
const catchUpSeconds = (lastArrivalAt - endedAt) / 1_000;
isOver = true;
finish();
for (const member of members) await stopMember(member);
await Promise.all(loops);

console.log(
  `${changeCount} changes in ${seconds.toFixed(0)} s by ${writers} writers in ${processes} processes, ${disturbance}; the last event came ${catchUpSeconds.toFixed(0)} s after the last change`,
);
let faults = 0;
for (const { name, byId, resyncs } of followers) {
  const missedCount = ids.filter((id) => !byId.has(id)).length;
  const storedIds = new Set(ids);
  const goneCount = [...byId.keys()].filter((id) => !storedIds.has(id)).length;
  const latest = new Map<number, number>();
  let disorderCount = 0;
  for (const { id, sequence, data } of byId.values()) {
    if (!storedIds.has(id)) continue;
    const person = data.clock_state.user_id;
    if (sequence < (latest.get(person) ?? 0) && resyncs === 0) disorderCount++;
    latest.set(person, Math.max(sequence, latest.get(person) ?? 0));
  }
  // Followers saw events that an asynchronous standby lacked and that no longer exist.
  const lostCount = mode === 'promotion' ? 0 : goneCount;
  faults += missedCount + disorderCount + lostCount;
  console.log(
    `${name.padEnd(10)} ${ids.length} stored, ${missedCount} missed, ${disorderCount} out of order, ${goneCount} of a lost end, ${resyncs} times told to begin again`,
  );
}
// An event missing at the receiver is lost, or still on its way: these rows tell which.
if (faults > 0) {
  console.log(
    await db.all('SELECT position, failing_since, disabled_at, disabled_why, lease_holder FROM webhook_endpoints'),
  );
  console.log(
    await db.all(
      'SELECT state, tries, count(*) AS deliveries FROM webhook_deliveries GROUP BY state, tries ORDER BY state',
    ),
  );
}
await db.close();
receiver.close();
receiver.closeAllConnections();
address.close();
await pair.close();
process.exit(faults === 0 ? 0 : 1);
