/**
 * Measurements: each figure beside its ceiling, the same work without us, in the same run. A small closed-loop load
 * generator on loopback, and a table of the figures.
 */
import { Agent, request } from 'node:http';
import { cpus } from 'node:os';
import { type DialectName, dialects } from './databases.js';

export interface Shot {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
export interface Load {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/**
 * `connections` keep-alive clients, each sending its next request when the last answer is whole.
 * @param next the request of client `client` number `turn`
 * @param expected the status that counts as good
 */
export async function fire(
  port: number,
  connections: number,
  count: number,
  next: (client: number, turn: number) => Shot,
  expected = 200,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const milliseconds: number[] = [];
  let failureCount = 0;
  const requestPath = ({ method = 'GET', path, headers = {}, body }: Shot) =>
    new Promise<void>((resolve, reject) => {
      const startedAt = performance.now();
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const outgoing = request(
        { host: '127.0.0.1', port, agent, method, path, headers: { ...headers, ...length } },
        (response) => {
          if (response.statusCode !== expected) failureCount++;
          response.resume();
          response.on('end', () => {
            milliseconds.push(performance.now() - startedAt);
            resolve();
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async (_, client) => {
      for (let turn = 0; turn < Math.ceil(count / connections); turn++) await requestPath(next(client, turn));
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  milliseconds.sort((a, b) => a - b);
  const quantile = (q: number) => milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * q))]!;
  return {
    requestsPerSecond: milliseconds.length / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    failed: failureCount,
  };
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

export interface Comparison {
  readonly ratio: number;
  readonly ours: Load;
  readonly ceiling: Load;
}

/**
 * Ours and the ceiling in turns, `rounds` times, so that changes of the machine's speed hit both; the middle of the
 * ratios.
 */
export async function compare(
  rounds: number,
  ours: () => Promise<Load>,
  ceiling: () => Promise<Load>,
): Promise<Comparison> {
  const pairs: Comparison[] = [];
  for (let round = 0; round < rounds; round++) {
    const pair = { ours: await ours(), ceiling: await ceiling() };
    pairs.push({ ratio: pair.ours.requestsPerSecond / pair.ceiling.requestsPerSecond, ...pair });
  }
  return pairs.sort((a, b) => a.ratio - b.ratio)[Math.floor(pairs.length / 2)]!;
}

/** A row of the table. */
export type Figure = readonly [
  what: string,
  figure: string,
  goal: string,
  ours?: string,
  ceiling?: string,
  failed?: string,
];

export const show = (value: number): string => value.toFixed(2);

export const speedOf = ({ requestsPerSecond, p50, p99 }: Load): string =>
  `${Math.round(requestsPerSecond)}/s, p50 ${show(p50)} ms, p99 ${show(p99)} ms`;

export const figureOf = (title: string, goal: string, { ratio, ours, ceiling }: Comparison): Figure => [
  title,
  show(ratio),
  goal,
  speedOf(ours),
  speedOf(ceiling),
  String(ours.failed + ceiling.failed),
];

/** Measures on the databases that were named. */
export type Scenario = (databases: readonly DialectName[]) => Promise<readonly Figure[]>;

export const onEach =
  (measure: (dialect: DialectName) => Promise<readonly Figure[]>): Scenario =>
  async (databases) => {
    const figures: Figure[] = [];
    for (const dialect of databases) figures.push(...(await measure(dialect)));
    return figures;
  };

/**
 * Runs the scenarios and databases that the words name, all if they name none, and prints the figures.
 * @param onRequest scenarios that run only if they are named
 */
export async function runScenarios(
  scenarios: Readonly<Record<string, Scenario>>,
  words: readonly string[],
  onRequest: Readonly<Record<string, Scenario>> = {},
): Promise<void> {
  const allScenarios = { ...scenarios, ...onRequest };
  const databases = dialects.filter((dialect) => words.includes(dialect));
  const scenarioNames = words.filter((word) => !databases.some((dialect) => dialect === word));
  const unknownName = scenarioNames.find((name) => !Object.hasOwn(allScenarios, name));
  if (unknownName !== undefined)
    throw new Error(`${unknownName} is none of ${[...Object.keys(allScenarios), ...dialects].join(', ')}`);
  const figures: Figure[] = [];
  await withPostgres(async () => {
    for (const name of scenarioNames.length > 0 ? scenarioNames : Object.keys(scenarios))
      figures.push(...(await allScenarios[name]!(databases.length > 0 ? databases : dialects)));
  });
  console.log(`\n${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n`);
  const head = ['what', 'ours : ceiling', 'goal', 'ours', 'ceiling', 'failed'];
  const columns = (row: readonly (string | undefined)[]) => head.map((_, index) => row[index] ?? '').join(' | ');
  for (const row of [head, head.map(() => '---'), ...figures]) console.log(`| ${columns(row)} |`);
}

/** Runs with the PostgreSQL of the tests, and stops it. */
export async function withPostgres<T>(work: () => Promise<T>): Promise<T> {
  // Plain JavaScript beside the test runner's configuration, hence by its address.
  const load = async (name: string) =>
    (await import(new URL(`../../../test/${name}.js`, import.meta.url).href)) as { default(): Promise<void> };
  await (await load('postgres-server')).default();
  try {
    return await work();
  } finally {
    await (await load('stop-postgres-server')).default();
  }
}
