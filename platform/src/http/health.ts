/**
 * `/healthz`: the process answers. `/readyz`: it can serve, its database included. `/metrics`: Prometheus text. None of
 * them is part of the public API.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../metrics.js';

type Route = (request: IncomingMessage, response: ServerResponse) => void;

export function healthRoutes(metrics: Metrics, ready: () => Promise<boolean>): Readonly<Record<string, Route>> {
  const answer = (response: ServerResponse, status: number, body: string, type = 'application/json; charset=utf-8') => {
    response.writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  };
  return {
    'GET /healthz': (_, response) => answer(response, 200, '{"status":"ok"}'),
    'GET /readyz': (_, response) =>
      void ready().then(
        (yes) => answer(response, yes ? 200 : 503, `{"status":"${yes ? 'ready' : 'not ready'}"}`),
        () => answer(response, 503, '{"status":"not ready"}'),
      ),
    'GET /metrics': (_, response) =>
      void metrics.registry.metrics().then((text) => answer(response, 200, text, metrics.registry.contentType)),
  };
}
