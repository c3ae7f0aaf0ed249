/**
 * A steady load for a long time: stamps and reads at a fixed rate, and how the memory of the process grows. Each minute
 * shows the means of that minute: the heap rises and falls by tens of megabytes from one collection to the next. The
 * slope is that of a line through the minutes, without the first fifth, in which caches fill; of the resident memory, of
 * what is allocated outside of the heap (SQLite's caches, buffers, threads), and of the lowest heap of each minute, which
 * is what survives a collection.
 * `make soak`; SOAK_MINUTES=120 for two hours, RATE=50 requests a second.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, type DialectName } from '@clockproof/platform/testing/databases';
import { migrations } from '../src/migrations/migrations.js';
import { startMember, stopMember, withPostgres } from './cluster.js';
import { addWorkers } from './company.js';
import { quantile } from './model-client.js';
import { freePort } from './postgres-pair.js';

const minutes = Number(process.env['SOAK_MINUTES'] ?? 15);
const rate = Number(process.env['RATE'] ?? 50);
const dialect = (process.argv[2] ?? 'sqlite') as DialectName;
const people = 4_000;

async function soak(): Promise<boolean> {
  const home = await createTestDatabase(dialect, migrations);
  const db = await openDatabase(home.settings);
  const workers = await addWorkers(db, people);
  const metricsPort = await freePort();
  const member = await startMember({
    METRICS_ADDR: `127.0.0.1:${metricsPort}`,
    DB_DRIVER: dialect,
    DB_DSN: home.settings.dsn,
    LOG_LEVEL: 'info',
    // As `bin/clockproof` and the images set it.
    MALLOC_ARENA_MAX: '1',
    RATE_API_PER_MINUTE: '1000000',
    RATE_IP_PER_MINUTE: '1000000',
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const headers = { authorization: `Bearer ${workers.key}`, 'content-type': 'application/json' };
  const statuses = new Map<number, number>();
  const latencies: number[] = [];
  const send = (method: string, path: string, body?: object) =>
    new Promise<void>((resolve) => {
      const began = performance.now();
      const done = (status: number) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        latencies.push(performance.now() - began);
        resolve();
      };
      const sending = request(
        {
          host: '127.0.0.1',
          port: member.port,
          agent,
          method,
          path,
          headers: { ...headers, 'idempotency-key': randomUUID() },
        },
        (answer) => {
          answer.resume();
          answer.on('end', () => done(answer.statusCode!));
        },
      );
      sending.on('error', () => done(0));
      sending.end(body === undefined ? undefined : JSON.stringify(body));
    });
  // Three stamps of four, each person in and out in turn, and a read.
  const isIn = new Set<number>();
  const one = (turn: number) => {
    if (turn % 4 === 3) return send('GET', '/api/v1/clock/states?limit=50');
    const person = workers.people[(turn - Math.floor(turn / 4)) % people]!;
    const action = isIn.has(person) ? 'out' : 'in';
    if (action === 'in') isIn.add(person);
    else isIn.delete(person);
    return send('POST', `/api/v1/clock/${action}`, { user_id: person });
  };
  const memory = async (): Promise<Memory> => {
    const status = readFileSync(`/proc/${member.child.pid}/status`, 'utf8');
    const resident = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1_024;
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const metric = (name: string) => Number(new RegExp(`^\\w+_nodejs_${name} (\\S+)`, 'm').exec(text)![1]) / 2 ** 20;
    const allocated = resident('RssAnon');
    return {
      resident: resident('VmRSS'),
      outside: allocated - metric('heap_size_total_bytes'),
      heap: metric('heap_size_used_bytes'),
    };
  };
  const samples: (Memory & { readonly minute: number })[] = [];
  const perMinute: Minute[] = [];
  const started = performance.now();
  let sent = 0;
  let nextSample = 0;
  const waiting = new Set<Promise<void>>();
  for (;;) {
    const elapsed = (performance.now() - started) / 60_000;
    if (elapsed >= minutes) break;
    while (sent < elapsed * 60 * rate) {
      const sending = one(sent++).finally(() => waiting.delete(sending));
      waiting.add(sending);
    }
    if (elapsed >= nextSample) {
      samples.push({ minute: elapsed, ...(await memory()) });
      nextSample += 1 / 30;
      if (samples.length === 30) {
        const minute = summaryOf(samples.splice(0));
        perMinute.push(minute);
        const mb = (name: keyof Minute) => `${minute[name].toFixed(1)} MB`;
        console.log(
          `${elapsed.toFixed(1)} min: ${sent} requests, resident ${mb('resident')}, outside the heap ${mb('outside')}, heap ${mb('heap')}, at least ${mb('least')}, ${waiting.size} under way`,
        );
      }
    }
    await pause(10);
  }
  await Promise.all(waiting);
  const settled = perMinute.filter(({ minute }) => minute >= minutes / 5);
  const slope = (name: keyof Minute) => slopeOf(settled.map((one) => [one.minute / 60, one[name]])).toFixed(2);
  console.log(
    `${dialect}: ${sent} requests in ${minutes} min, ${JSON.stringify(Object.fromEntries(statuses))}, p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${quantile(latencies, 0.99).toFixed(1)} ms`,
  );
  console.log(
    `memory: ${settled[0]!.resident.toFixed(1)} MB after ${settled[0]!.minute.toFixed(1)} min, ${settled.at(-1)!.resident.toFixed(1)} MB at the end, ${slope('resident')} MB an hour; outside the heap ${slope('outside')}, heap ${slope('heap')}, at least ${slope('least')}`,
  );
  agent.destroy();
  await stopMember(member);
  await db.close();
  await home.drop();
  return [...statuses.keys()].every((status) => status === 200);
}

/** In MB. */
interface Memory {
  readonly resident: number;
  /** Of what it allocated: not the heap's. The heap's untouched pages are counted as resident. */
  readonly outside: number;
  readonly heap: number;
}

interface Minute extends Memory {
  readonly minute: number;
  /** The least heap. */
  readonly least: number;
}

function summaryOf(samples: readonly (Memory & { readonly minute: number })[]): Minute {
  const mean = (name: keyof Memory) => samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length;
  return {
    minute: samples.at(-1)!.minute,
    resident: mean('resident'),
    outside: mean('outside'),
    heap: mean('heap'),
    least: Math.min(...samples.map(({ heap }) => heap)),
  };
}

/** Least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

const isGood = dialect === 'postgres' ? await withPostgres(soak) : await soak();
process.exit(isGood ? 0 : 1);
