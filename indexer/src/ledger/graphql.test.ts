import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { fetch } from 'undici';
import { createGraphqlClient, type Fetch, LedgerFailure } from './graphql.js';

// msw stands for the node: it takes the request from Node's own fetch, so that what is sent counts too.
const node = setupServer();

const clientOf = (make: (request: Request) => Response | Promise<Response>) => {
  node.use(http.post('http://node.example/graphql', ({ request }) => make(request)));
  return createGraphqlClient({
    url: 'http://node.example/graphql',
    fetch: globalThis.fetch as unknown as Fetch,
    timeoutMilliseconds: 200,
    maxBytes: 100_000,
  });
};
async function failure(make: () => Response | Promise<Response>): Promise<LedgerFailure> {
  const error = await clientOf(make)('query Q { x }').then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof LedgerFailure)) throw new Error(`expected a LedgerFailure, got ${String(error)}`);
  return error;
}
const errors = (code: string | undefined, message = 'words', data: unknown = null) =>
  Response.json({ data, errors: [{ message, ...(code === undefined ? {} : { extensions: { code } }) }] });

describe('a question to a node', () => {
  beforeAll(() => node.listen({ onUnhandledRequest: 'error' }));
  afterEach(() => node.resetHandlers());
  afterAll(() => node.close());

  it('a question to a node gives its data', async () => {
    expect(await clientOf(() => Response.json({ data: { x: 1 } }))('query Q { x }')).toEqual({ x: 1 });
  });

  it('a question to a node is a POST of JSON', async () => {
    let sentRequest: unknown;
    await clientOf(async (request) => {
      sentRequest = [request.method, request.headers.get('content-type'), await request.json()];
      return Response.json({ data: {} });
    })('query Q($a: Int) { x(a: $a) }', { a: 1 });
    expect(sentRequest).toEqual([
      'POST',
      'application/json',
      { query: 'query Q($a: Int) { x(a: $a) }', variables: { a: 1 } },
    ]);
  });

  it.each([
    ['429', () => new Response('', { status: 429 }), 'retry', 'HTTP_429'],
    ['500', () => new Response('<h1>', { status: 500 }), 'retry', 'HTTP_5XX'],
    ['503', () => new Response('', { status: 503 }), 'retry', 'HTTP_5XX'],
    ['404 without JSON', () => new Response('', { status: 404 }), 'retry', 'NOT_JSON'],
    ['brackets without end', () => new Response('['.repeat(50_000)), 'retry', 'NOT_GRAPHQL'],
    ['objects without end', () => new Response('{"a":'.repeat(10_000)), 'retry', 'NOT_GRAPHQL'],
    ['HTML with status 200', () => new Response('<!doctype html>'), 'retry', 'NOT_JSON'],
    ['JSON that is no GraphQL', () => Response.json([1]), 'retry', 'NOT_GRAPHQL'],
    ['JSON null', () => new Response('null'), 'retry', 'NOT_GRAPHQL'],
    ['neither data nor errors', () => Response.json({}), 'retry', 'NOT_GRAPHQL'],
    ['data null', () => Response.json({ data: null }), 'retry', 'NOT_GRAPHQL'],
    ['data beside errors', () => errors('INTERNAL_SERVER_ERROR', 'half', { x: 1 }), 'retry', 'INTERNAL_SERVER_ERROR'],
    ['an error without a code', () => errors(undefined), 'retry', 'UNKNOWN'],
    ['a code never heard of', () => errors('ON_FIRE'), 'retry', 'UNKNOWN'],
    [
      'an unknown field without a code',
      () => errors(undefined, 'Cannot query field "x" on type "Query".'),
      'schema',
      'UNKNOWN',
    ],
    ['a validation error', () => errors('GRAPHQL_VALIDATION_FAILED'), 'schema', 'GRAPHQL_VALIDATION_FAILED'],
    ['a parse error', () => errors('GRAPHQL_PARSE_FAILED'), 'schema', 'GRAPHQL_PARSE_FAILED'],
    ['a time-out of the node', () => errors('REQUEST_TIMEOUT'), 'smaller', 'REQUEST_TIMEOUT'],
    ['exhaustion', () => errors('RESOURCE_EXHAUSTED'), 'smaller', 'RESOURCE_EXHAUSTED'],
    [
      'a page that is too big',
      () => errors('BAD_USER_INPUT', 'Page size of 51 exceeds max of 50'),
      'smaller',
      'BAD_USER_INPUT',
    ],
    ['bad input', () => errors('BAD_USER_INPUT', 'Invalid cursor'), 'refused', 'BAD_USER_INPUT'],
    ['pruned data', () => errors('DATA_PRUNED'), 'pruned', 'DATA_PRUNED'],
    [
      'data out of range',
      () => errors('BAD_USER_INPUT', 'Requested data is outside available range'),
      'pruned',
      'BAD_USER_INPUT',
    ],
    ['a refusal in JSON', () => Response.json({}, { status: 403 }), 'refused', 'HTTP_4XX'],
  ] as [string, () => Response, string, string][])(
    'that meets %s fails in its own way',
    async (_, make, kind, code) => {
      expect(await failure(make)).toMatchObject({ kind, code });
    },
  );

  it('the reader of answers takes brackets within texts for what they are', async () => {
    const text = `${'[{'.repeat(1_000)}\\"\\\\`;
    expect(await clientOf(() => Response.json({ data: { text } }))('query Q { x }')).toEqual({ text });
  });

  it('an answer of very many small values is refused before it is parsed', async () => {
    node.use(http.post('http://node.example/graphql', () => new Response(`{"data":[${'[],'.repeat(600_000)}0]}`)));
    const ask = createGraphqlClient({
      url: 'http://node.example/graphql',
      fetch: globalThis.fetch as unknown as Fetch,
    });
    await expect(ask('query Q { x }')).rejects.toMatchObject({ kind: 'smaller', code: 'TOO_LARGE' });
  });

  it.each([301, 302, 303, 307, 308])('a question to a node does not follow a redirect with %i', async (status) => {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url!);
      response.writeHead(status, { location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
      const ask = createGraphqlClient({ url, fetch: fetch as unknown as Fetch });
      await expect(ask('query Q { x }')).rejects.toMatchObject({ kind: 'retry', code: 'HTTP_3XX' });
      expect(paths).toEqual(['/graphql']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('a question ends where the node does not answer', async () => {
    expect(await failure(() => new Promise<Response>(() => undefined))).toMatchObject({
      kind: 'smaller',
      code: 'TIMEOUT',
    });
  });
  it('a question ends where the answer trickles', async () => {
    const trickleAnswer = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            controller.enqueue(new TextEncoder().encode(' '));
          },
        }),
      );
    expect(await failure(trickleAnswer)).toMatchObject({ kind: 'smaller', code: 'TIMEOUT' });
  });
  it('a question ends where the answer has no end, without keeping it', async () => {
    let sentBytes = 0;
    const endlessAnswer = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sentBytes += 10_000;
            controller.enqueue(new Uint8Array(10_000).fill(32));
          },
        }),
      );
    expect(await failure(endlessAnswer)).toMatchObject({ kind: 'smaller', code: 'TOO_LARGE' });
    expect(sentBytes).toBeLessThan(300_000);
  });
  it('a node says for how long it wants to be left alone, within reason', async () => {
    expect(
      (await failure(() => new Response('', { status: 429, headers: { 'retry-after': '12' } }))).retryAfterMilliseconds,
    ).toBe(12_000);
    expect(
      (await failure(() => new Response('', { status: 429, headers: { 'retry-after': '999999' } })))
        .retryAfterMilliseconds,
    ).toBe(600_000);
    expect(
      (await failure(() => new Response('', { status: 429, headers: { 'retry-after': 'soon' } })))
        .retryAfterMilliseconds,
    ).toBeUndefined();
  });
  it('that does not reach the node may be put again', async () => {
    expect(await failure(() => HttpResponse.error())).toMatchObject({ kind: 'retry', code: 'NETWORK' });
  });
  it('a question fails by the worst of several errors', async () => {
    expect(
      await failure(() =>
        Response.json({
          errors: [
            { message: 'a', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
            { message: 'b', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
          ],
        }),
      ),
    ).toMatchObject({ kind: 'schema' });
  });
});
