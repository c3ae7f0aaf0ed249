/**
 * One, two and four processes on one PostgreSQL behind a balancer that gives each request to the next: a limit is exact,
 * of many clock-ins of one person one succeeds, a repeated request counts once; then stamps a second. `make replicas`
 */
import { randomUUID } from 'node:crypto';
import { cpus, loadavg } from 'node:os';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase } from '@clockproof/platform/testing/databases';
import { migrations } from '../src/migrations/migrations.js';
import { openBalancer, startMember, stopMember, withPostgres } from './cluster.js';
import { addWorkers } from './company.js';
import { fire } from './load.js';

const stamps = Number(process.env['STAMPS'] ?? 4_000);
const clients = 32;
let isGood = true;

async function measure(size: number): Promise<number> {
  const home = await createTestDatabase('postgres', migrations);
  const db = await openDatabase(home.settings);
  const { key, people } = await addWorkers(db, 400);
  const start = (limit: number) =>
    Promise.all(
      Array.from({ length: size }, () =>
        startMember({
          DB_DRIVER: 'postgres',
          DB_DSN: home.settings.dsn,
          LOG_LEVEL: 'info',
          RATE_IP_PER_MINUTE: '1000000',
          RATE_API_PER_MINUTE: String(limit),
        }),
      ),
    );
  let members = await start(1_000_000);
  const { server, port } = await openBalancer(() => members);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const stamp = async (person: number, more: Record<string, string> = {}) =>
    (
      await fetch(`http://127.0.0.1:${port}/api/v1/clock/in`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ user_id: person }),
      })
    ).status;
  const tally = (statuses: readonly number[]) =>
    JSON.stringify(
      [...new Set(statuses)].sort().map((one) => `${statuses.filter((status) => status === one).length}× ${one}`),
    );
  const expectTally = (what: string, statuses: readonly number[], due: string) => {
    const found = tally(statuses);
    if (found !== due) isGood = false;
    console.log(`  ${what}: ${found}${found === due ? '' : `, should be ${due}: WRONG`}`);
  };
  const many = (count: number, ask: () => Promise<number>) => Promise.all(Array.from({ length: count }, ask));

  console.log(`${size} process${size === 1 ? '' : 'es'}`);
  expectTally('200 clock-ins of one person at once', await many(200, () => stamp(people[0]!)), '["1× 200","199× 409"]');
  const same = randomUUID();
  await stamp(people[1]!, { 'idempotency-key': same });
  expectTally(
    'the same request 50 times',
    await many(50, () => stamp(people[1]!, { 'idempotency-key': same })),
    '["50× 200"]',
  );
  const { n } = (await db.get<{ n: number }>('SELECT count(*) AS n FROM time_entries'))!;
  if (n !== 2) isGood = false;
  console.log(`  entries of both: ${n}`);

  const free = people.slice(2, 2 + clients * 12);
  const share = (client: number) => free.slice(client * 12, client * 12 + 12);
  const next = (client: number, turn: number) => ({
    method: 'POST',
    path: Math.floor(turn / 12) % 2 === 0 ? '/api/v1/clock/in' : '/api/v1/clock/out',
    headers,
    body: JSON.stringify({ user_id: share(client)[turn % 12] }),
  });
  const { requestsPerSecond, p50, p99, failed } = await fire(port, clients, stamps, next);
  if (failed > 0) isGood = false;
  console.log(
    `  ${requestsPerSecond.toFixed(0)} stamps/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failed} failed`,
  );

  await Promise.all(members.map((member) => stopMember(member)));
  members = await start(50);
  const read = () =>
    fetch(`http://127.0.0.1:${port}/api/v1/clock/states?limit=1`, { headers }).then(({ status }) => status);
  // A limit counts by the minute of the clock.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 500));
  expectTally('120 reads with a limit of 50', await many(120, read), '["50× 200","70× 429"]');
  await Promise.all(members.map((member) => stopMember(member)));
  server.close();
  server.closeAllConnections();
  await db.close();
  await home.drop();
  return requestsPerSecond;
}

console.log(`${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, which database, balancer and load share`);
const rates: number[] = [];
await withPostgres(async () => {
  for (const size of [1, 2, 4]) rates.push(await measure(size));
});
console.log(`throughput against one process: ${rates.map((rate) => (rate / rates[0]!).toFixed(2)).join(', ')}`);
process.exit(isGood ? 0 : 1);
