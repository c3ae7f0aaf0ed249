/**
 * PostgreSQL with a synchronous standby. First stamps a second with the standby 0, 1, 2 and 5 ms away; then the primary
 * is killed under load and the standby promoted, several times: every acknowledged stamp is there, once.
 * `make soak NAME=standby`; ROUNDS=2 SECONDS=5 for less.
 */
import { execFile } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDatabase } from '@clockproof/platform/database/open';
import { fire } from '@clockproof/platform/testing/bench';
import { startMember, stopMember } from './cluster.js';
import { addWorkers } from './company.js';
import { quantile, startModel } from './model-client.js';
import { binaries, owner, startPair } from './postgres-pair.js';
import { openAddress, waitForSynchronousStandby } from './standby-address.js';

const rounds = Number(process.env['ROUNDS'] ?? 3);
const seconds = Number(process.env['SECONDS'] ?? 8);
const selection = process.argv.slice(2);
const settings = { DB_DRIVER: 'postgres', RATE_API_PER_MINUTE: '1000000', RATE_IP_PER_MINUTE: '1000000' };
const promote = fileURLToPath(new URL('../../packaging/standby/promote', import.meta.url));
const execute = promisify(execFile);

async function measureLatency(): Promise<void> {
  const pair = await startPair();
  const db = await openDatabase({ driver: 'postgres', dsn: pair.primary.dsn });
  const { key, people } = await addWorkers(db, 64 * 12);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  console.log('standby        clients  stamps/s    p50        p99       failed');
  const measure = async (title: string, clients: number, count: number) => {
    const member = await startMember({ ...settings, DB_DSN: pair.primary.dsn });
    // Twelve people of each client in turn, in and out again: in the end all are out.
    const perClient = Math.ceil(count / clients / 24) * 24;
    const nextShot = (client: number, turn: number) => ({
      method: 'POST',
      path: Math.floor(turn / 12) % 2 === 0 ? '/api/v1/clock/in' : '/api/v1/clock/out',
      headers,
      body: JSON.stringify({ user_id: people[client * 12 + (turn % 12)] }),
    });
    const { requestsPerSecond, p50, p99, failed } = await fire(member.port, clients, perClient * clients, nextShot);
    console.log(
      `${title.padEnd(14)} ${String(clients).padStart(7)}  ${requestsPerSecond.toFixed(0).padStart(8)}  ${p50.toFixed(1).padStart(6)} ms  ${p99.toFixed(1).padStart(6)} ms  ${failed}`,
    );
    await stopMember(member);
  };
  await measure('none', 1, 120);
  await measure('none', 16, 1_920);
  await measure('none', 64, 3_072);
  await waitForSynchronousStandby(db);
  for (const delay of [0, 1, 2, 5]) {
    await pair.link(delay);
    await waitForSynchronousStandby(db);
    for (const [clients, count] of [
      [1, 72],
      [16, 1_152],
      [64, 3_072],
    ] as const)
      await measure(`${delay} ms away`, clients, count);
  }
  await db.close();
  await pair.close();
}

async function failOver(round: number): Promise<boolean> {
  const pair = await startPair();
  await pair.link(1);
  const address = await openAddress(pair);
  const db = await openDatabase({ driver: 'postgres', dsn: pair.primary.dsn });
  const { key, people } = await addWorkers(db, 40);
  await waitForSynchronousStandby(db);
  await db.close();
  const members = await Promise.all([1, 2].map(() => startMember({ ...settings, DB_DSN: address.dsn })));
  const models = members.map(({ port }, index) =>
    startModel({ port, key, people: people.filter((_, person) => person % 2 === index) }),
  );
  await pause(seconds * 1_000);
  const acknowledgedBefore = models.reduce((sum, { count }) => sum + count.acknowledged, 0);
  const killedAt = performance.now();
  await pair.primary.kill();
  await execute(promote, [pair.standby.folder, '127.0.0.1', String(pair.primary.port)], {
    env: { PATH: process.env['PATH'] ?? '', PG_CTL: binaries.pg_ctl },
    ...owner,
  });
  const promotedAt = performance.now();
  address.switchTo(pair.standby.port);
  const countAcknowledged = () => models.reduce((sum, { count }) => sum + count.acknowledged, 0);
  // Requests under way at the kill that were already answered are counted before.
  const knownCount = countAcknowledged();
  while (countAcknowledged() === knownCount && performance.now() - promotedAt < 60_000) await pause(5);
  const servingAt = performance.now();
  await pause(3_000);
  await Promise.all(models.map((model) => model.stop()));
  for (const member of members) await stopMember(member);
  const standbyDatabase = await openDatabase({ driver: 'postgres', dsn: pair.standby.dsn });
  // Both models wrote to one database: the check compares its counts with the sum.
  const faults = await models[0]!.verify(standbyDatabase, models.slice(1));
  await standbyDatabase.close();
  address.close();
  await pair.close();
  console.log(
    `kill ${round}: ${acknowledgedBefore} stamps acknowledged before and ${countAcknowledged() - acknowledgedBefore} after; promoted after ${(promotedAt - killedAt).toFixed(0)} ms, the next stamp acknowledged after ${(servingAt - killedAt).toFixed(0)} ms; longest stamp ${(
      quantile(
        models.flatMap(({ latencies }) => latencies),
        1,
      ) / 1_000
    ).toFixed(1)} s; ${faults.length === 0 ? 'nothing lost, nothing twice' : `${faults.length} FAULTS`}`,
  );
  for (const fault of faults.slice(0, 10)) console.log(`  ${fault}`);
  return faults.length === 0;
}

console.log(`${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, which both databases, service and load share`);
if (selection.length === 0 || selection.includes('latency')) await measureLatency();
let isGood = true;
if (selection.length === 0 || selection.includes('promotion'))
  for (let round = 1; round <= rounds; round++) isGood = (await failOver(round)) && isGood;
process.exit(isGood ? 0 : 1);
