/**
 * The service's speed, each figure beside its ceiling: the same work without us, in the same run. `make bench` prints
 * the table; docs/operations/performance.md keeps the main rows with machine and date. Numbers are ratios; nothing
 * fails because a machine is slow.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readContract } from '@clockproof/platform/http/operations';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { document } from '../src/generated/service-document.js';
import { measureAccess } from './access.js';
import { measureDeliveries } from './deliveries.js';
import { measureDoor } from './door.js';
import { measureDoorService } from './door-service.js';
import { fire, ratio, type Shot } from './load.js';
import { openSlowLink } from './slow-link.js';

interface Subject {
  readonly port: number;
  readonly ceilingPort: number;
  readonly key: string;
  readonly people: readonly number[];
  stop(): Promise<void>;
}

const connections = 16;
const rounds = 5;
const rows: string[][] = [];

async function startSubject(settings: { driver: string; dsn: string }): Promise<Subject> {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL('./subject.js', import.meta.url))], {
    env: { ...process.env, DB_DRIVER: settings.driver, DB_DSN: settings.dsn },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return {
    ...(JSON.parse(line) as Omit<Subject, 'stop'>),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

// The same real PostgreSQL that the tests start; plain JavaScript beside the test runner's configuration, hence by its
// address.
const server = (await import(new URL('../../../platform/test/postgres-server.js', import.meta.url).href)) as {
  default(): Promise<void>;
};
const serverStop = (await import(new URL('../../../platform/test/stop-postgres-server.js', import.meta.url).href)) as {
  default(): Promise<void>;
};
await server.default();

const show = (n: number) => n.toFixed(2);

/** The same stamps with the database a millisecond away, which no statement can hide from. */
async function measureFarAway(dsn: string): Promise<void> {
  const far = new URL(dsn);
  const link = await openSlowLink(far.hostname, Number(far.port), 1);
  far.port = String(link.port);
  const home = await createTestDatabase('postgres');
  far.pathname = new URL(home.settings.dsn).pathname;
  const subject = await startSubject({ driver: 'postgres', dsn: far.href });
  const half = subject.people.length / 2;
  const used = [0, 0];
  const stamps = (side: 0 | 1, clients: number, each: number) => {
    const from = used[side]!;
    used[side] = from + clients * each;
    return fire(side === 0 ? subject.port : subject.ceilingPort, clients, clients * each, (client, turn) => ({
      method: 'POST',
      path: `/api/v1/clock/${turn % 2 === 0 ? 'in' : 'out'}`,
      headers: { authorization: `Bearer ${subject.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: subject.people[side * half + ((from + client + clients * (turn >> 1)) % half)] }),
    }));
  };
  for (const side of [0, 1] as const) await stamps(side, connections, 20);
  for (const clients of [1, connections]) {
    const measured = await ratio(
      rounds,
      () => stamps(0, clients, 40),
      () => stamps(1, clients, 40),
    );
    rows.push([
      `POST /clock/in|out, postgres 1 ms away, ${clients} clients`,
      show(measured.ratio),
      '≥ 0.50',
      `${Math.round(measured.ours.requestsPerSecond)}/s, p50 ${show(measured.ours.p50)} ms`,
      `${Math.round(measured.ceiling.requestsPerSecond)}/s, p50 ${show(measured.ceiling.p50)} ms`,
      String(measured.ours.failed + measured.ceiling.failed),
    ]);
  }
  await subject.stop();
  link.close();
  await home.drop();
}

for (const dialect of dialects) {
  const home = await createTestDatabase(dialect);
  const subject = await startSubject(home.settings);
  const authorization = { authorization: `Bearer ${subject.key}` };
  // Every client clocks one person in and out after the other; each side has its own half of the people.
  const half = subject.people.length / 2;
  const passed = [0, 0];
  const stamp =
    (side: 0 | 1) =>
    (client: number, turn: number): Shot => {
      if (turn === 0 && client === 0) passed[side]! += 1_000;
      const person =
        subject.people[side * half + ((passed[side]! - 1_000 + client + connections * (turn >> 1)) % half)];
      return {
        method: 'POST',
        path: `/api/v1/clock/${turn % 2 === 0 ? 'in' : 'out'}`,
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: person }),
      };
    };
  const list = (): Shot => ({
    method: 'GET',
    path: '/api/v1/time/entries?from=2025-12-01&to=2026-11-30&limit=100',
    headers: authorization,
  });

  await fire(subject.port, connections, 320, stamp(0));
  await fire(subject.ceilingPort, connections, 320, stamp(1));
  const stamps = await ratio(
    rounds,
    () => fire(subject.port, connections, 1_600, stamp(0)),
    () => fire(subject.ceilingPort, connections, 1_600, stamp(1)),
  );
  rows.push([
    `POST /clock/in|out, ${dialect}`,
    show(stamps.ratio),
    '≥ 0.50',
    `${Math.round(stamps.ours.requestsPerSecond)}/s, p50 ${show(stamps.ours.p50)} ms`,
    `${Math.round(stamps.ceiling.requestsPerSecond)}/s, p50 ${show(stamps.ceiling.p50)} ms`,
    String(stamps.ours.failed + stamps.ceiling.failed),
  ]);

  await fire(subject.port, connections, 320, list);
  await fire(subject.ceilingPort, connections, 320, list);
  // The same answer by a stock Express application, and the rows as they are by bare node:http: half as many bytes,
  // without what the contract says of an entry.
  for (const [name, goal, path] of [
    [`GET /time/entries (100), ${dialect}`, '≥ 0.60', list().path],
    ['… beside the rows as they are', 'reported', '/rows'],
  ] as const) {
    const lists = await ratio(
      rounds,
      () => fire(subject.port, connections, 1_600, list),
      () => fire(subject.ceilingPort, connections, 1_600, () => ({ ...list(), path })),
    );
    rows.push([
      name,
      show(lists.ratio),
      goal,
      `${Math.round(lists.ours.requestsPerSecond)}/s, p50 ${show(lists.ours.p50)} ms`,
      `${Math.round(lists.ceiling.requestsPerSecond)}/s, p50 ${show(lists.ceiling.p50)} ms`,
      String(lists.ours.failed + lists.ceiling.failed),
    ]);
  }
  await subject.stop();
  if (dialect === 'postgres') await measureFarAway(home.settings.dsn);
  await home.drop();
}

rows.push(...(await measureAccess()));
rows.push(...(await measureDeliveries()));
rows.push(...(await measureDoor()));
rows.push(...(await measureDoorService()));

const started = performance.now();
const contract = await readContract(document);
const readMilliseconds = performance.now() - started;
const parts = { path: { id: 88213 }, query: {}, header: {}, requestBody: { user_id: 1001 } };
const validateAll = () => {
  for (const operation of contract.operations) contract.faultIn(operation, parts);
};
const compiling = performance.now();
validateAll();
const compileMilliseconds = (performance.now() - compiling) / contract.operations.length;
const turns = 200;
for (let turn = 0; turn < turns; turn++) validateAll();
const measured = performance.now();
for (let turn = 0; turn < turns; turn++) validateAll();
const microseconds = ((performance.now() - measured) * 1_000) / (turns * contract.operations.length);
rows.push([`validate, ${contract.operations.length} operations`, `${show(microseconds)} µs`, '≤ 60 µs', '', '', '']);
rows.push(['… the first time', `${show(compileMilliseconds)} ms`, 'reported', '', '', '']);
rows.push(['read the contract', `${Math.round(readMilliseconds)} ms`, '≤ 500 ms', '', '', '']);

console.log(
  `\n${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${connections} connections, middle of ${rounds} rounds\n`,
);
const head = ['what', 'ours : ceiling', 'goal', 'ours', 'ceiling', 'failed'];
for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
await serverStop.default();
