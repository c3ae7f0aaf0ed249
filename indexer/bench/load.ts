/**
 * A small closed-loop load generator on loopback: keep-alive clients, each sending its next request when the last
 * answer is whole. Bounded in count.
 */
import { Agent, request } from 'node:http';

export interface Shot {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}
export interface Load {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/** @param next the request with that number; @param expected the status that counts as good */
export async function fire(
  port: number,
  connections: number,
  count: number,
  next: (turn: number) => Shot,
  expected = 200,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const milliseconds: number[] = [];
  let failed = 0;
  let turn = 0;
  const one = ({ path, headers = {} }: Shot) =>
    new Promise<void>((resolve, reject) => {
      const started = performance.now();
      request({ host: '127.0.0.1', port, agent, path, headers: { ...headers } }, (response) => {
        if (response.statusCode !== expected) failed++;
        response.resume();
        response.on('end', () => {
          milliseconds.push(performance.now() - started);
          resolve();
        });
      })
        .on('error', reject)
        .end();
    });
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (turn < count) await one(next(turn++));
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  agent.destroy();
  milliseconds.sort((a, b) => a - b);
  const quantile = (q: number) => milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * q))]!;
  return { requestsPerSecond: milliseconds.length / seconds, p50: quantile(0.5), p99: quantile(0.99), failed };
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
