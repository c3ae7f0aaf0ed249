/**
 * Questions of operators and their machines. `/healthz`: the process answers. `/readyz`: it can serve, its database
 * included. `/metrics`: Prometheus text, on a listener of its own: it costs milliseconds to write and reveals the
 * volume of business. None of them is part of the public API, and no limit counts them, so answers are kept for a
 * second.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Metrics } from '../metrics.js';

type Route = (request: IncomingMessage, response: ServerResponse) => void;

const keptMilliseconds = 1_000;

/**
 * @param load called once a second at most, for any number of waiting requests; @param clock milliseconds
 * @returns the last answer, or the one on its way. A failure is kept as long as an answer.
 */
export function keptForASecond<T>(load: () => Promise<T>, clock: () => number): () => Promise<T> {
  let readAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<T> | undefined;
  return () => {
    const at = clock();
    if (answer === undefined || at < readAt || at - readAt >= keptMilliseconds) {
      readAt = at;
      answer = load();
    }
    return answer;
  };
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'application/json; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

export function healthRoutes(ready: () => Promise<boolean>, clock: () => number): Readonly<Record<string, Route>> {
  const readyCheck = keptForASecond(ready, clock);
  return {
    '/healthz': (_, response) => answer(response, 200, '{"status":"ok"}'),
    '/readyz': (_, response) =>
      void readyCheck().then(
        (isReady) => answer(response, isReady ? 200 : 503, `{"status":"${isReady ? 'ready' : 'not ready'}"}`),
        () => answer(response, 503, '{"status":"not ready"}'),
      ),
  };
}

/** @param refresh brings the gauges up to date; if it fails, the last values go out */
export function metricsListener(
  { registry }: Metrics,
  clock: () => number,
  refresh: () => Promise<void> = async () => undefined,
): RequestListener {
  const text = keptForASecond(async () => {
    await refresh().catch(() => undefined);
    return registry.metrics();
  }, clock);
  return (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return answer(response, 404, '{"status":"not found"}');
    text().then(
      (metricsText) => answer(response, 200, metricsText, registry.contentType),
      () => answer(response, 503, '{"status":"not ready"}'),
    );
  };
}
