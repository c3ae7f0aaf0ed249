/**
 * Processes are killed and stopped at random, connections to PostgreSQL are cut, and slow clients hold requests open,
 * while people clock in and out.
 * Each client knows what it sent and what was acknowledged; a request without an answer is sent again with its
 * `Idempotency-Key` until there is one. In the end every acknowledged stamp is there once, nothing else is, and audit
 * log, entries and events agree. `make chaos`, or `node service/dist/bench/chaos.js sqlite`; CHAOS_SECONDS for each run.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, type DialectName, dialects } from '@clockproof/platform/testing/databases';
import { runVerify } from '../src/audit/verify-command.js';
import { migrations } from '../src/migrations/migrations.js';
import { type Member, openBalancer, startMember, stopMember, withPostgres } from './cluster.js';
import { addWorkers } from './company.js';

const seconds = Number(process.env['CHAOS_SECONDS'] ?? 60);
const wanted = process.argv.slice(2);

async function run(dialect: DialectName): Promise<boolean> {
  const home = await createTestDatabase(dialect, migrations);
  const db = await openDatabase(home.settings);
  const { key, people } = await addWorkers(db, 40);
  const env = {
    DB_DRIVER: dialect,
    DB_DSN: home.settings.dsn,
    RATE_API_PER_MINUTE: '1000000',
    RATE_IP_PER_MINUTE: '1000000',
  };
  const size = dialect === 'postgres' ? 3 : 1;
  let members: readonly Member[] = await Promise.all(Array.from({ length: size }, () => startMember(env)));
  const { server, port } = await openBalancer(() => members);
  let isOver = false;
  const count = { acknowledged: 0, refused: 0, unanswered: 0, kills: 0, stops: 0, cuts: 0 };
  const faults: string[] = [];
  /** Of each entry that an acknowledged request began: whether one ended it. */
  const entries = new Map<number, boolean>();

  async function client(person: number): Promise<void> {
    let isIn = false;
    while (!isOver) {
      const id = randomUUID();
      const action = isIn ? 'out' : 'in';
      for (let tries = 0; ; tries++) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/clock/${action}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': id },
          body: JSON.stringify({ user_id: person }),
          signal: AbortSignal.timeout(30_000),
        })
          .then(async (response) => ({ status: response.status, text: await response.text() }))
          .catch(() => undefined);
        if (answer === undefined || answer.status >= 500) {
          count.unanswered++;
          if (tries > 600) {
            faults.push(`${action} of ${person} was never answered`);
            return;
          }
          await pause(100);
          continue;
        }
        if (answer.status !== 200) {
          count.refused++;
          faults.push(`${action} of ${person}, try ${tries}: ${answer.status} ${answer.text.slice(0, 200)}`);
          return;
        }
        const entry = (JSON.parse(answer.text) as { time_entry: { id: number } }).time_entry.id;
        if (!isIn && entries.has(entry)) faults.push(`entry ${entry} was begun twice`);
        if (isIn && entries.get(entry) !== false) faults.push(`entry ${entry} was ended without having been begun`);
        entries.set(entry, isIn);
        count.acknowledged++;
        isIn = !isIn;
        break;
      }
      await pause(20);
    }
  }

  /** Every second end is without a word, the others by SIGTERM with requests under way. */
  async function killer(): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      await pause(1_000 + 2_000 * Math.random());
      if (isOver) return;
      const member = members[Math.floor(Math.random() * members.length)]!;
      const isHard = turn % 2 === 0;
      count[isHard ? 'kills' : 'stops']++;
      // One that stops is taken out of the balancer first, one that is killed is found out.
      if (!isHard) members = members.filter((other) => other !== member);
      await stopMember(member, isHard ? 'SIGKILL' : 'SIGTERM');
      members = members.filter((other) => other !== member);
      members = [...members, await startMember(env)];
    }
  }

  /** Every connection of the service to PostgreSQL, whatever it does at the moment. */
  async function cutter(): Promise<void> {
    while (!isOver && dialect === 'postgres') {
      await pause(3_000 * Math.random());
      await db
        .all(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
        .then(() => count.cuts++)
        .catch(() => undefined);
    }
  }

  /** Clients that begin a request and never finish it. */
  const slow = Array.from({ length: 300 }, () => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('POST /api/v1/clock/in HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{'),
    );
    socket.on('error', () => undefined);
    return socket;
  });

  const started = performance.now();
  const clients = people.map(client);
  const troubles = [killer(), cutter()];
  await pause(seconds * 1_000);
  isOver = true;
  await Promise.all([...clients, ...troubles]);
  const took = (performance.now() - started) / 1_000;
  for (const socket of slow) socket.destroy();
  await Promise.all(members.map((member) => stopMember(member)));
  server.close();
  server.closeAllConnections();
  await once(server, 'close').catch(() => undefined);

  const begun = entries.size;
  const ended = [...entries.values()].filter((is) => is).length;
  const one = async (sql: string) => Number((await db.get<{ n: number }>(sql))!.n);
  for (const [what, found, due] of [
    ['time entries', await one('SELECT count(*) AS n FROM time_entries'), begun],
    ['ended entries', await one('SELECT count(*) AS n FROM time_entries WHERE end_at IS NOT NULL'), ended],
    [
      'clock.in in the audit log',
      await one("SELECT count(*) AS n FROM audit_entries WHERE action = 'clock.in'"),
      begun,
    ],
    [
      'clock.out in the audit log',
      await one("SELECT count(*) AS n FROM audit_entries WHERE action = 'clock.out'"),
      ended,
    ],
    ['events clock.in', await one("SELECT count(*) AS n FROM events WHERE type = 'clock.in'"), begun],
    ['events clock.out', await one("SELECT count(*) AS n FROM events WHERE type = 'clock.out'"), ended],
  ] as const)
    if (found !== due) faults.push(`${what}: ${found}, acknowledged were ${due}`);
  const verified = await runVerify(db, { head: undefined, heads: undefined, sign: undefined });
  if (verified.exitCode !== 0) faults.push(verified.text);
  await db.close();
  await home.drop();
  console.log(
    `${dialect}: ${took.toFixed(0)} s, ${JSON.stringify(count)}, ${faults.length === 0 ? 'nothing lost, nothing twice' : `${faults.length} FAULTS`}`,
  );
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
  return faults.length === 0;
}

const isGood = await withPostgres(async () => {
  let good = true;
  for (const dialect of dialects.filter((name) => wanted.length === 0 || wanted.includes(name)))
    good = (await run(dialect)) && good;
  return good;
});
process.exit(isGood ? 0 : 1);
