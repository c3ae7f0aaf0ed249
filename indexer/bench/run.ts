/**
 * The speed of the index, each figure beside its ceiling, in one run; for some of it name scenarios and databases:
 * `node indexer/dist/bench/run.js lookups sqlite`.
 *   BENCH_PROOFS   size of the large index for look-ups, default 1000000
 *   BENCH_EVENTS   size of the long reading whose memory is watched, default 100000
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  compare,
  type Figure,
  figureOf,
  fire,
  median,
  onEach,
  runScenarios,
  type Shot,
  show,
  speedOf,
} from '@clockproof/platform/testing/bench';
import { createTestDatabase, type DialectName } from '@clockproof/platform/testing/databases';
import { addressOf, digestOf } from '../simulator/encode.js';
import { measureVerifier } from './verifier.js';

const large = Number(process.env['BENCH_PROOFS'] ?? '1000000');
const longReading = Number(process.env['BENCH_EVENTS'] ?? '100000');
const small = 10_000;
const reading = 20_000;
const connections = 16;
const rounds = 5;
const count = 6_000;

type Line = Record<string, unknown>;
interface Child {
  readonly process: ChildProcess;
  readonly lines: AsyncIterator<string>;
  next(): Promise<Line>;
}

function start(script: string, words: readonly string[], env: Readonly<Record<string, string>>, heap = 0): Child {
  const child = spawn(
    process.execPath,
    [...(heap > 0 ? [`--max-old-space-size=${heap}`] : []), fileURLToPath(new URL(script, import.meta.url)), ...words],
    {
      env: { ...process.env, CHAIN_ANCHOR_PACKAGE: addressOf('bench package'), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    lines,
    async next() {
      return JSON.parse((await lines.next()).value as string) as Line;
    },
  };
}

async function stop({ process: child }: Child): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

const random =
  (size: number) =>
  (client: number, turn: number): Shot => {
    const index = Math.imul(client + connections * turn + 1, 2_654_435_761) >>> 0;
    return { path: `/api/v1/verify/${digestOf('bench', index % size)}?root=${'0'.repeat(64)}` };
  };

async function lookups(driver: DialectName): Promise<readonly Figure[]> {
  const table: Figure[] = [];
  const p50s: Record<number, { readonly ours: number; readonly ceiling: number }> = {};
  for (const size of [small, large]) {
    const home = await createTestDatabase(driver);
    const subject = start('subject.js', ['serve', String(size)], {
      DB_DRIVER: home.settings.driver,
      DB_DSN: home.settings.dsn,
    });
    const { port, ceilingPort } = (await subject.next()) as { port: number; ceilingPort: number };
    const shots = random(size);
    await fire(port, connections, count, shots);
    await fire(ceilingPort, connections, count, shots);
    const measurement = await compare(
      rounds,
      () => fire(port, connections, count, shots),
      () => fire(ceilingPort, connections, count, shots),
    );
    table.push(figureOf(`GET /verify/{tx}, ${driver}, ${size} proofs`, '≥ 0.60', measurement));
    if (size === small) {
      const etags = new Map<string, string>();
      for (let turn = 0; turn < 200; turn++) {
        const { path } = shots(0, turn);
        etags.set(path, (await fetch(`http://127.0.0.1:${port}${path}`)).headers.get('etag') ?? '');
      }
      const tags = [...etags];
      const conditional = await fire(
        port,
        connections,
        count,
        (client, turn) => {
          const [path, etag] = tags[(client + connections * turn) % 200]!;
          return { path, headers: { 'if-none-match': etag } };
        },
        304,
      );
      table.push([
        `… with If-None-Match, ${driver}`,
        show(conditional.requestsPerSecond / measurement.ceiling.requestsPerSecond),
        'reported',
        speedOf(conditional),
        '',
        String(conditional.failed),
      ]);
    }
    // One client at a time: the wait of one person, without a queue in front.
    const soloTimes: { ours: number; ceiling: number }[] = [];
    for (let round = 0; round < rounds; round++)
      soloTimes.push({
        ours: (await fire(port, 1, 1_500, shots)).p50,
        ceiling: (await fire(ceilingPort, 1, 1_500, shots)).p50,
      });
    p50s[size] = {
      ours: median(soloTimes.map((result) => result.ours)),
      ceiling: median(soloTimes.map((result) => result.ceiling)),
    };
    await stop(subject);
    await home.drop();
  }
  table.push([
    `p50 at ${large} over p50 at ${small} proofs, ${driver}`,
    show(p50s[large]!.ours / p50s[small]!.ours),
    '≤ 1.25',
    `${show(p50s[large]!.ours)} over ${show(p50s[small]!.ours)} ms`,
    `${show(p50s[large]!.ceiling)} over ${show(p50s[small]!.ceiling)} ms`,
    '0',
  ]);
  return table;
}

async function startLedger(proofs: number): Promise<{ readonly child: Child; readonly env: Record<string, string> }> {
  const child = start(
    '../simulator/main.js',
    [],
    { PORT: '0', DEMO_PROOFS: String(proofs), PROOF_INTERVAL: '0', DIALECT: 'iota' },
    12_000,
  );
  const message = (await child.lines.next()).value as string;
  return {
    child,
    env: {
      CHAIN_GRAPHQL_URL: /http:\/\/\S+graphql/.exec(message)![0],
      CHAIN_ANCHOR_PACKAGE: /0x[0-9a-f]{64}/.exec(message)![0],
    },
  };
}

interface Read {
  readonly seconds: number;
  readonly complete: boolean;
  readonly resident: number;
}

async function readOnce(
  mode: 'follow' | 'plain',
  proofs: number,
  driver: DialectName,
  env: Readonly<Record<string, string>>,
): Promise<Read> {
  const home = await createTestDatabase(driver);
  const child = start('subject.js', [mode, String(proofs)], {
    ...env,
    DB_DRIVER: home.settings.driver,
    DB_DSN: home.settings.dsn,
  });
  for (;;) {
    const line = await child.next();
    if (line['done'] !== true) continue;
    if (child.process.exitCode === null) await once(child.process, 'exit');
    await home.drop();
    return line as unknown as Read;
  }
}

async function backfill(driver: DialectName): Promise<readonly Figure[]> {
  const ledger = await startLedger(reading);
  await readOnce('plain', reading, driver, ledger.env);
  const ratios: number[] = [];
  const seconds: { ours: number; plain: number }[] = [];
  let incomplete = 0;
  for (let round = 0; round < 3; round++) {
    const followRun = await readOnce('follow', reading, driver, ledger.env);
    const plainRun = await readOnce('plain', reading, driver, ledger.env);
    if (!followRun.complete || !plainRun.complete) incomplete++;
    ratios.push(plainRun.seconds / followRun.seconds);
    seconds.push({ ours: followRun.seconds, plain: plainRun.seconds });
  }
  const middle = seconds[ratios.indexOf(median(ratios))]!;
  await stop(ledger.child);
  return [
    [
      `Reading ${reading} proofs, ${driver}`,
      show(median(ratios)),
      '≥ 0.70',
      `${Math.round(reading / middle.ours)} proofs/s`,
      `${Math.round(reading / middle.plain)} proofs/s`,
      String(incomplete),
    ],
  ];
}

async function memory(): Promise<readonly Figure[]> {
  const table: Figure[] = [];
  for (const proofs of [small, longReading]) {
    const ledger = await startLedger(proofs);
    const reading = await readOnce('follow', proofs, 'sqlite', ledger.env);
    table.push([
      `Most memory while reading ${proofs} proofs, sqlite`,
      `${Math.round(reading.resident)} MB`,
      '≤ 150 MB',
      `${Math.round(proofs / reading.seconds)} proofs/s`,
      '',
      reading.complete ? '0' : '1',
    ]);
    await stop(ledger.child);
  }
  return table;
}

await runScenarios(
  { lookups: onEach(lookups), backfill: onEach(backfill), memory, verifier: measureVerifier },
  process.argv.slice(2),
);
process.exit(0);
