/**
 * The service's speed, each figure beside its ceiling: the same work without us, in the same run. `make bench` prints
 * the table; docs/operations/performance.md keeps the main rows with machine and date. Numbers are ratios; nothing
 * fails because a machine is slow. To run a part, name scenarios and databases:
 * `node service/dist/bench/run.js scale sqlite`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readContract } from '@clockproof/platform/http/operations';
import {
  compare,
  type Figure,
  figureOf,
  fire,
  onEach,
  runScenarios,
  type Shot,
  show,
} from '@clockproof/platform/testing/bench';
import { createTestDatabase, type DialectName } from '@clockproof/platform/testing/databases';
import { document } from '../src/generated/service-document.js';
import { measureAccess } from './access.js';
import { measureBacklog, measureFirstAttempt, measureStamps } from './deliveries.js';
import { measureDoor } from './door.js';
import { measureDoorService } from './door-service.js';
import { measureMonthProofs } from './month-proofs.js';
import { measureScale } from './scale.js';
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

/** The same stamps with the database a millisecond away: here every statement shows. */
async function measureFarAway(databases: readonly DialectName[]): Promise<readonly Figure[]> {
  if (!databases.includes('postgres')) return [];
  const home = await createTestDatabase('postgres');
  const farUrl = new URL(home.settings.dsn);
  const link = await openSlowLink(farUrl.hostname, Number(farUrl.port), 1);
  farUrl.port = String(link.port);
  const subject = await startSubject({ driver: 'postgres', dsn: farUrl.href });
  const half = subject.people.length / 2;
  const usedCounts = [0, 0];
  const stamps = (side: 0 | 1, clients: number, perClient: number) => {
    const from = usedCounts[side]!;
    usedCounts[side] = from + clients * perClient;
    return fire(side === 0 ? subject.port : subject.ceilingPort, clients, clients * perClient, (client, turn) => ({
      method: 'POST',
      path: `/api/v1/clock/${turn % 2 === 0 ? 'in' : 'out'}`,
      headers: { authorization: `Bearer ${subject.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: subject.people[side * half + ((from + client + clients * (turn >> 1)) % half)] }),
    }));
  };
  for (const side of [0, 1] as const) await stamps(side, connections, 20);
  const figures: Figure[] = [];
  for (const clients of [1, connections]) {
    const measurement = await compare(
      rounds,
      () => stamps(0, clients, 40),
      () => stamps(1, clients, 40),
    );
    figures.push(figureOf(`POST /clock/in|out, postgres 1 ms away, ${clients} clients`, '≥ 0.50', measurement));
  }
  await subject.stop();
  link.close();
  await home.drop();
  return figures;
}

async function measureRequests(dialect: DialectName): Promise<readonly Figure[]> {
  const home = await createTestDatabase(dialect);
  const subject = await startSubject(home.settings);
  const authorization = { authorization: `Bearer ${subject.key}` };
  // Every client clocks one person in and out after the other; each side has its own half of the people.
  const half = subject.people.length / 2;
  const passCounts = [0, 0];
  const stamp =
    (side: 0 | 1) =>
    (client: number, turn: number): Shot => {
      if (turn === 0 && client === 0) passCounts[side]! += 1_000;
      const person =
        subject.people[side * half + ((passCounts[side]! - 1_000 + client + connections * (turn >> 1)) % half)];
      return {
        method: 'POST',
        path: `/api/v1/clock/${turn % 2 === 0 ? 'in' : 'out'}`,
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: person }),
      };
    };
  const list =
    (path = '/api/v1/time/entries?from=2025-12-01&to=2026-11-30&limit=100') =>
    (): Shot => ({
      path,
      headers: authorization,
    });
  const figures: Figure[] = [];
  for (const [title, goal, ours, ceiling] of [
    [`POST /clock/in|out, ${dialect}`, '≥ 0.50', stamp(0), stamp(1)],
    // The same answer by a stock Express application, and the rows as they are by bare node:http: half as many bytes,
    // without the contract's form of an entry.
    [`GET /time/entries (100), ${dialect}`, '≥ 0.60', list(), list()],
    ['… beside the rows as they are', 'reported', list(), list('/rows')],
  ] as const) {
    await fire(subject.port, connections, 320, ours);
    await fire(subject.ceilingPort, connections, 320, ceiling);
    const measurement = await compare(
      rounds,
      () => fire(subject.port, connections, 1_600, ours),
      () => fire(subject.ceilingPort, connections, 1_600, ceiling),
    );
    figures.push(figureOf(title, goal, measurement));
  }
  await subject.stop();
  await home.drop();
  return figures;
}

async function measureContract(): Promise<readonly Figure[]> {
  const startedAt = performance.now();
  const contract = await readContract(document);
  const readMilliseconds = performance.now() - startedAt;
  const parts = { path: { id: 88213 }, query: {}, header: {}, requestBody: { user_id: 1001 } };
  const validateAll = () => {
    for (const operation of contract.operations) contract.faultsIn(operation, parts);
  };
  const compileStartedAt = performance.now();
  validateAll();
  const compileMilliseconds = (performance.now() - compileStartedAt) / contract.operations.length;
  const turns = 200;
  for (let turn = 0; turn < turns; turn++) validateAll();
  const measuredAt = performance.now();
  for (let turn = 0; turn < turns; turn++) validateAll();
  const microseconds = ((performance.now() - measuredAt) * 1_000) / (turns * contract.operations.length);
  return [
    [`validate, ${contract.operations.length} operations`, `${show(microseconds)} µs`, '≤ 60 µs'],
    ['… the first time', `${show(compileMilliseconds)} ms`, 'reported'],
    ['read the contract', `${Math.round(readMilliseconds)} ms`, '≤ 500 ms'],
  ];
}

await runScenarios(
  {
    requests: onEach(measureRequests),
    'far-away': measureFarAway,
    access: onEach(measureAccess),
    subscribed: onEach(measureStamps),
    backlog: onEach(measureBacklog),
    'first-attempt': onEach(measureFirstAttempt),
    door: measureDoor,
    'door-service': onEach(measureDoorService),
    contract: measureContract,
    'month-proofs': onEach(measureMonthProofs),
  },
  process.argv.slice(2),
  { scale: onEach(measureScale) },
);
