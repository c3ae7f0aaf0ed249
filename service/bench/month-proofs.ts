/**
 * The cost of proofs of months: closing a month with and without a commitment to it, the wait of people at the door
 * meanwhile, the bytes that stay, and a person's file.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Figure, median, show } from '@clockproof/platform/testing/bench';
import { createTestDatabase, type DialectName } from '@clockproof/platform/testing/databases';
import type { Order, Report } from './closing-subject.js';

interface Subject {
  readonly months: readonly string[];
  readonly key: string;
  readonly people: readonly number[];
  readonly port: number;
  order(order: Order): Promise<Report>;
  stop(): Promise<void>;
}

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** Time between two stamps, whose senders do not wait for each other. */
const stampGapMs = 40;

async function startSubject(dialect: DialectName, people: number, nodeOptions: readonly string[] = []) {
  const home = await createTestDatabase(dialect);
  const child: ChildProcess = spawn(
    process.execPath,
    [...nodeOptions, pathOf('./closing-subject.js'), String(people)],
    {
      // Every stamp waits for its answer, without a limit.
      env: {
        ...process.env,
        DB_DRIVER: home.settings.driver,
        DB_DSN: home.settings.dsn,
        DB_POOL_WAIT_MS: '60000',
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return {
    ...(JSON.parse(line) as Omit<Subject, 'order' | 'stop'>),
    async order(order) {
      child.send(order);
      const [report] = (await once(child, 'message')) as [Report];
      return report;
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await home.drop();
    },
  } satisfies Subject;
}

/** Times of the closings and, in order, of the stamps sent meanwhile; in milliseconds. */
interface Times {
  readonly closings: number[];
  readonly stamps: number[];
  sent: number;
  failed: number;
}

async function stamp({ port, key, people }: Subject, times: Times): Promise<void> {
  const turn = times.sent++;
  const direction = Math.floor(turn / people.length) % 2 === 0 ? 'in' : 'out';
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/clock/${direction}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: people[turn % people.length] }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) times.failed++;
  times.stamps.push(performance.now() - startedAt);
}

async function closeUnderLoad(subject: Subject, month: string, times: Times): Promise<void> {
  let isClosing = true;
  const closing = subject.order({ what: 'close', month }).finally(() => {
    isClosing = false;
  });
  const stamps: Promise<void>[] = [];
  while (isClosing) {
    stamps.push(stamp(subject, times));
    await pause(stampGapMs);
  }
  times.closings.push((await closing).ours);
  await Promise.all(stamps);
}

const quantile = (values: readonly number[], q: number) =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * q)]!;

export async function measureMonthProofs(dialect: DialectName): Promise<readonly Figure[]> {
  const count = 1_000;
  const subjects = [
    await startSubject(dialect, count),
    await startSubject(dialect, count, ['--import', pathOf('./without-commitments.js')]),
  ] as const;
  const times = subjects.map((): Times => ({ closings: [], stamps: [], sent: 0, failed: 0 }));
  // The first run is slower.
  const [firstMonth, ...laterMonths] = subjects[0].months;
  for (const subject of subjects) await subject.order({ what: 'close', month: firstMonth! });
  for (const month of laterMonths)
    for (const [side, subject] of subjects.entries()) await closeUnderLoad(subject, month, times[side]!);

  const [ours, ceiling] = times as [Times, Times];
  const compareTimes = (title: string, goal: string, of: (times: Times) => number): Figure => [
    `${title}, ${dialect}`,
    `${show(of(ours) / of(ceiling))}×`,
    goal,
    `${of(ours).toFixed(0)} ms`,
    `${of(ceiling).toFixed(0)} ms`,
    String(ours.failed + ceiling.failed),
  ];
  const figures = [
    compareTimes(`closing a month of ${count} people, with and without a commitment`, 'reported', (side) =>
      median(side.closings),
    ),
    compareTimes('… median of the stamps that wait for it', '≤ 1.05×', (side) => median(side.stamps)),
    compareTimes('… p99 of these stamps', '≤ 1.05×', (side) => quantile(side.stamps, 0.99)),
  ];
  const storedSizes = await subjects[0].order({ what: 'stored' });
  figures.push([
    `bytes of a leaf beside those of the closed month, ${dialect}`,
    show(storedSizes.ours / storedSizes.ceiling),
    '≤ 1,500 B',
    `${storedSizes.ours.toFixed(0)} B`,
    `${storedSizes.ceiling.toFixed(0)} B`,
  ]);
  const smallSubject = await startSubject(dialect, 50);
  await smallSubject.order({ what: 'close', month: firstMonth! });
  for (const subject of [smallSubject, subjects[0]]) {
    const file = await subject.order({ what: 'files', month: firstMonth! });
    figures.push([
      `file of one of ${subject.people.length} people beside its rows, ${dialect}`,
      `${show(file.ours / file.ceiling)}×`,
      'reported',
      `${show(file.ours)} ms`,
      `${show(file.ceiling)} ms`,
    ]);
  }
  for (const subject of [smallSubject, ...subjects]) await subject.stop();
  return figures;
}
