/**
 * A small closed-loop load generator on loopback: `connections` keep-alive clients, each sending its next request when
 * the last answer is whole. Bounded in count.
 */
import { Agent, request } from 'node:http';

export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}
export interface Load {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/** @param next the request of client `client` number `turn` */
export async function fire(
  port: number,
  connections: number,
  count: number,
  next: (client: number, turn: number) => Shot,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const milliseconds: number[] = [];
  let failed = 0;
  const one = (shot: Shot) =>
    new Promise<void>((resolve, reject) => {
      const started = performance.now();
      const sending = request(
        {
          host: '127.0.0.1',
          port,
          agent,
          method: shot.method,
          path: shot.path,
          headers: {
            ...shot.headers,
            ...(shot.body === undefined ? {} : { 'content-length': Buffer.byteLength(shot.body) }),
          },
        },
        (response) => {
          if (response.statusCode !== 200) failed++;
          response.resume();
          response.on('end', () => {
            milliseconds.push(performance.now() - started);
            resolve();
          });
        },
      );
      sending.on('error', reject);
      sending.end(shot.body);
    });
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async (_, client) => {
      for (let turn = 0; turn < Math.ceil(count / connections); turn++) await one(next(client, turn));
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  agent.destroy();
  milliseconds.sort((a, b) => a - b);
  const quantile = (q: number) => milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * q))]!;
  return { requestsPerSecond: milliseconds.length / seconds, p50: quantile(0.5), p99: quantile(0.99), failed };
}

/** Ours and the ceiling in turns, `rounds` times, so that the machine's moods hit both; the middle of the ratios. */
export async function ratio(
  rounds: number,
  ours: () => Promise<Load>,
  ceiling: () => Promise<Load>,
): Promise<{ readonly ratio: number; readonly ours: Load; readonly ceiling: Load }> {
  const pairs: { ours: Load; ceiling: Load }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ ours: await ours(), ceiling: await ceiling() });
  pairs.sort(
    (a, b) =>
      a.ours.requestsPerSecond / a.ceiling.requestsPerSecond - b.ours.requestsPerSecond / b.ceiling.requestsPerSecond,
  );
  const middle = pairs[Math.floor(pairs.length / 2)]!;
  return { ratio: middle.ours.requestsPerSecond / middle.ceiling.requestsPerSecond, ...middle };
}
