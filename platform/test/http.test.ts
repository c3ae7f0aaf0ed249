import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseUnavailable } from '../src/database/database.js';
import type { Api, AppOptions } from '../src/http/api.js';
import { createApp } from '../src/http/app.js';
import { createMemoryRateLimiter } from '../src/http/rate-limit.js';
import { Refusal } from '../src/http/refusal.js';
import { CannotListen, listen, PortInUse, type RunningServer } from '../src/http/server.js';
import { createLog, silentLog } from '../src/log.js';

const text = { schema: { type: 'string' } };
const headers = Object.fromEntries(
  [
    'X-Request-Id',
    'X-Content-Type-Options',
    'Cache-Control',
    'RateLimit',
    'RateLimit-Policy',
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
    'WWW-Authenticate',
    'Accept',
  ].map((name) => [name, text]),
);
const problem = (...codes: string[]) => ({
  description: 'no',
  headers: { ...headers, 'Retry-After': { schema: { type: 'integer', minimum: 1 } } },
  content: {
    'application/json': {
      schema: { type: 'object' },
      examples: Object.fromEntries(codes.map((code) => [code, { value: {} }])),
    },
  },
});
const problems = {
  400: problem('invalid_request'),
  401: problem('unauthorized'),
  409: problem('taken'),
  413: problem('payload_too_large'),
  415: problem('unsupported_media_type'),
  429: problem('rate_limited'),
  500: problem('internal'),
  503: problem('unavailable'),
};
const ok = (schema: object) => ({
  200: { description: 'ok', headers, content: { 'application/json': { schema } } },
  ...problems,
});

const document = {
  openapi: '3.1.1',
  info: { title: 't', version: '1' },
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        'x-scope': null,
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 500 } },
          { name: 'active', in: 'query', schema: { type: 'boolean' } },
          { name: 'from', in: 'query', schema: { type: 'string', format: 'date' } },
        ],
        responses: ok({
          type: 'object',
          required: ['query'],
          properties: { query: { type: 'object' } },
          additionalProperties: false,
        }),
      },
      post: {
        operationId: 'addThing',
        'x-scope': null,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                additionalProperties: false,
                required: ['id'],
                properties: {
                  id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
                  note: { type: 'string' },
                  deep: {},
                },
              },
            },
          },
        },
        responses: ok({ type: 'object' }),
      },
    },
    '/things/{id}': {
      get: {
        operationId: 'getThing',
        'x-scope': null,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
        responses: ok({ type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }),
      },
    },
    '/things/newest': { get: { operationId: 'getNewest', 'x-scope': null, responses: ok({ type: 'object' }) } },
  },
};

const errors = Object.fromEntries(
  Object.entries({
    invalid_request: 400,
    unauthorized: 401,
    not_found: 404,
    method_not_allowed: 405,
    taken: 409,
    payload_too_large: 413,
    unsupported_media_type: 415,
    rate_limited: 429,
    internal: 500,
    unavailable: 503,
  }).map(([code, status]) => [code, { status, error: `${code}.` }]),
);

let calls: unknown[] = [];
let next: () => unknown = () => ({});
let breaches: string[] = [];
let extraHeaders: Record<string, string> = {};
let server: RunningServer;

const api: Api = {
  document,
  handlers: {
    listThings: (request: { query: unknown }) => ({ status: 200, body: { query: request.query } }),
    addThing: (request: { body: unknown }) => {
      calls.push(request.body);
      return { status: 200, body: next() ?? {} };
    },
    getThing: (request: { path: { id: number } }) => ({ status: 200, body: { id: request.path.id } }),
    getNewest: () => {
      next();
      return { status: 200, body: {}, headers: extraHeaders };
    },
  },
  authenticate: ({ headers }) => {
    if (headers['authorization'] === 'Bearer wrong') throw new Refusal('unauthorized');
    return headers['authorization'] === undefined
      ? { caller: undefined }
      : { caller: 'key', bucket: { name: 'key', key: 'k', limit: 1_000_000 } };
  },
  challenge: () => 'Bearer',
  crossOriginGet: () => true,
};

/** A server of its own, with limits of its own. */
async function serveApp(options: Partial<AppOptions> = {}): Promise<RunningServer> {
  const app = await createApp({
    apis: [api],
    errors,
    log: silentLog,
    clock: () => 0,
    newRequestId: () => 'req_1',
    clientAddress: () => '192.0.2.1',
    limiter: createMemoryRateLimiter(),
    limits: { perAddress: 1_000_000, failedAuthentications: 2 },
    onContractBreach: (breach) => breaches.push(breach),
    ...options,
  });
  return listen(app.express, { host: '127.0.0.1', port: 0, newRequestId: () => 'req_malformed' });
}

beforeAll(async () => {
  server = await serveApp();
});
afterAll(() => server.close(100));
beforeEach(() => {
  calls = [];
  breaches = [];
  extraHeaders = {};
  next = () => ({});
});

const get = (path: string, init: RequestInit = {}) => fetch(server.url + path, init);
const post = (body: string | Uint8Array, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  get('/things', { method: 'POST', body, headers });
const code = async (response: Response) => ((await response.json()) as { code: string }).code;
/** Sends bytes as they are and gives back all that comes until the server closes. */
const sendRaw = (bytes: string, port = server.port) =>
  new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', () => resolve(text));
  });

describe('requests', () => {
  it('a query is parsed for numbers and switches, and nothing else', async () => {
    expect(await (await get('/things?limit=5&active=false&from=2026-11-21')).json()).toEqual({
      query: { limit: 5, active: false, from: '2026-11-21' },
    });
  });
  it.each([
    'limit=05',
    'limit=1e2',
    'limit=%205',
    'limit=0x10',
    'limit=',
    'limit=501',
    'limit=1.0',
    'limit=９',
    'active=1',
    'active=TRUE',
    'from=2025-02-30',
    'from=2026-1-1',
    'unknown=1',
    'limit=1&limit=2',
    'limit=1&limit=1',
    'from=%00',
    'from=%ff',
    '__proto__=1',
  ])('the query %s is refused', async (query) => {
    const response = await get(`/things?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_request', request_id: 'req_1', details: [{}] });
  });
  it.each(['"1"', '[1]', 'true', '9007199254740993', '1e400', '1.5', '0', '-1', 'null', '{}'])(
    'the id %s is refused',
    async (id) => {
      expect((await post(`{"id":${id}}`)).status).toBe(400);
      expect(calls).toEqual([]);
    },
  );
  it.each(
    [
      '',
      'null',
      '[]',
      '"x"',
      '1',
      '{',
      '{"id":1}x',
      "{'id':1}",
      '{"id":1,}',
      '\ufeff{"id":1}',
      '{"id":1,"__proto__":{"admin":true}}',
      '{"id":1,"state":"approved"}',
      '{"id":1,"note":"a\\u0000b"}',
      '{"id":1,"note":"\\ud800"}',
      '{"id":1,"deep":["\\u0000"]}',
      '{"id":1,"deep":["\\ud800"]}',
      '{"id":1,"deep":[{"\\udc00":1}]}',
      '{"id":1,"note":"\\u001b[2J"}',
      '{"id":1,"note":"one\\r\\ntwo"}',
      '{"id":1,"note":"\u0085"}',
      '{"id":1,"note":["\\b"]}',
      `{"id":1,"deep":${'['.repeat(21)}${']'.repeat(21)}}`,
      '['.repeat(100_000),
    ].map((body) => [body.slice(0, 40), body] as const),
  )('the body %s is refused', async (_, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(calls).toEqual([]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
  it('a body with bytes that are not UTF-8 is refused', async () => {
    expect(
      (await post(new Uint8Array([...Buffer.from('{"id":1,"note":"'), 0xc3, 0x28, ...Buffer.from('"}')]))).status,
    ).toBe(400);
  });
  it('a body with 20 levels, surrogate pairs and every plain character is accepted', async () => {
    expect((await post(`{"id":1,"note":"\\ud83d\\ude00 ß 中","deep":${'['.repeat(19)}${']'.repeat(19)}}`)).status).toBe(
      200,
    );
    expect(calls).toMatchObject([{ id: 1, note: '😀 ß 中' }]);
  });
  it('a refusal names the wrong field', async () => {
    expect(await (await post('{"id":1,"state":"approved"}')).json()).toMatchObject({
      details: [{ field: 'state', code: 'unknown_field' }],
    });
    expect(await (await post('{"note":"x"}')).json()).toMatchObject({ details: [{ field: 'id', code: 'missing' }] });
  });
  it('a refusal names each invalid member once, and at most 100', async () => {
    const fieldsOf = async (body: object) => {
      const { details } = (await (await post(JSON.stringify(body))).json()) as {
        details: { field: string; code: string }[];
      };
      return details.map(({ field, code }) => `${field} ${code}`).sort();
    };
    expect(await fieldsOf({ id: 0, note: 7, state: 'approved', more: 1 })).toEqual([
      'id out_of_range',
      'more unknown_field',
      'note wrong_type',
      'state unknown_field',
    ]);
    const manyFields = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]));
    expect(await fieldsOf({ id: 1, ...manyFields })).toHaveLength(100);
  });
  it('a refusal says what to write instead, and nothing about schemas', async () => {
    const sentence = async (body: string) =>
      ((await (await post(body)).json()) as { details: { error: string }[] }).details[0]!.error;
    expect(await sentence('{"id":1,"state":"approved"}')).toBe('Nothing here has this name.');
    expect(await sentence('{"note":"x"}')).toBe('A value is required.');
    expect(await sentence('{"id":"1"}')).toBe('Write a value of type integer.');
    expect(await sentence('{"id":0}')).toBe('Write a number of at least 1.');
  });
  it('a body is JSON where the document says JSON, uncompressed', async () => {
    expect(await code(await post('id=1', { 'content-type': 'application/x-www-form-urlencoded' }))).toBe(
      'unsupported_media_type',
    );
    expect(await code(await post('{"id":1}', { 'content-type': 'application/json', 'content-encoding': 'gzip' }))).toBe(
      'unsupported_media_type',
    );
    expect((await post('{"id":1}', { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });
  it('a body of more than 256 KiB is refused, announced or not', async () => {
    expect(
      await sendRaw(
        'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`;
    expect(
      await sendRaw(
        `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 413 /);
    expect(calls).toEqual([]);
  });
  it('a client that sends a too large body before it reads gets an answer, and its bytes are no request', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const next =
      'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"id":1}';
    const closing = new Promise<string>((resolve) => {
      socket.on('error', ({ message }) => resolve(message));
      socket.on('close', () => resolve('closed'));
    });
    const length = 4_194_304;
    socket.write(
      `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
    let receivedText = '';
    socket.write('x'.repeat(length) + next, () => socket.on('data', (chunk) => (receivedText += String(chunk))));
    expect(await closing).toBe('closed');
    expect(receivedText).toMatch(/^HTTP\/1\.1 413 .*payload_too_large[^}]*}$/s);
    expect(calls).toEqual([]);
  });
  it('a body of exactly 256 KiB is accepted, announced or not, and not one byte more', async () => {
    const ofLength = (bytes: number) => `{"id":1,"note":"${'x'.repeat(bytes - 18)}"}`;
    const postLength = (bytes: number) => post(ofLength(bytes));
    const inChunks = (bytes: number) =>
      sendRaw(
        `POST /things HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${ofLength(bytes)}\r\n0\r\n\r\n`,
      );
    expect(ofLength(262_144)).toHaveLength(262_144);
    expect((await postLength(262_144)).status).toBe(200);
    expect(await inChunks(262_144)).toMatch(/^HTTP\/1\.1 200 /);
    expect((await postLength(262_145)).status).toBe(413);
    expect(await inChunks(262_145)).toMatch(/^HTTP\/1\.1 413 /);
    expect(calls).toHaveLength(2);
  });
  it('a body of exactly 20 levels is accepted, and 21 are refused', async () => {
    const ofDepth = (levels: number) => `{"id":1,"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await post(ofDepth(20))).status).toBe(200);
    const refusal = await post(ofDepth(21));
    expect([refusal.status, await refusal.json()]).toMatchObject([400, { details: [{ code: 'too_deep' }] }]);
  });
  it.each([
    ['{"id":1,"id":2}', 'id'],
    ['{"id":1,"note":"a","note":"a"}', 'note'],
    ['{"id":1,"n\\u006fte":"a","note":"b"}', 'note'],
    ['{"id":1,"deep":{"a":[{},{"b":1,"c":"}{","b":2}]}}', 'deep.a[1].b'],
    ['{"id":1,"deep":{"":1,"":2}}', 'deep.'],
    ['{"id":1,"deep":{"__proto__":1,"__proto__":2}}', 'deep.__proto__'],
  ])('a repeated member in %s is refused', async (body, field) => {
    const response = await post(body);
    expect([response.status, await response.json()]).toMatchObject([400, { details: [{ field, code: 'repeated' }] }]);
    expect(calls).toEqual([]);
  });
  it('one name in several objects, and texts that look like members, are accepted', async () => {
    for (const body of [
      '{"id":1,"deep":[{"a":1},{"a":1}]}',
      '{"id":1,"deep":{"id":{"id":1}}}',
      '{"id":1,"note":"\\"id\\":2,\\"id\\":3"}',
      '{"id":1,"deep":["id","id"]}',
    ])
      expect([body, (await post(body)).status]).toEqual([body, 200]);
  });
  it('a path with broken percent-encoding is refused', async () => {
    for (const path of ['/things/%ff', '/things/%', '/things/%0'])
      expect(await (await get(path)).json()).toMatchObject({ details: [{ field: 'id', code: 'wrong_encoding' }] });
    expect((await get('/things/%37')).status).toBe(200);
  });
  it('a body is refused where the operation has none', async () => {
    for (const headers of ['', 'Content-Encoding: gzip\r\n', 'Content-Type: text/plain\r\n'])
      expect(
        await sendRaw(`GET /things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}Content-Length: 2\r\n\r\n{}`),
      ).toMatch(/^HTTP\/1\.1 400 [\s\S]*unexpected_body/);
  });
});

describe('the wire', () => {
  it.each([
    [
      'length and chunks together',
      'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /things/7 HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    [
      'two lengths',
      'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n{}  GET /things/7 HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    [
      'a broken chunk size',
      'POST /things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\nGET /things/7 HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    ['a space before the colon', 'GET /things HTTP/1.1\r\nHost : x\r\n\r\nGET /things/7 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'a bare line feed in a header',
      'GET /things HTTP/1.1\r\nHost: x\r\nX: a\nTransfer-Encoding: chunked\r\n\r\nGET /things/7 HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    [
      'headers of 20 KiB',
      `GET /things HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\nGET /things/7 HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
  ])('the server closes the connection after %s and never answers the rest', async (_, bytes) => {
    const answer = await sendRaw(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).not.toContain('"id":7');
    expect(answer).toMatch(/x-request-id: req_malformed/i);
    expect(JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n') + 4))).toMatchObject({
      code: answer.startsWith('HTTP/1.1 431') ? 'headers_too_large' : 'invalid_request',
      request_id: 'req_malformed',
    });
  });
  it.each([
    ['no Host', ''],
    ['two Host lines', 'Host: a\r\nHost: b\r\n'],
    ['one Host twice', 'Host: a\r\nhost: a\r\n'],
    ['an empty Host', 'Host:\r\n'],
    ['a Host with a space', 'Host: a b\r\n'],
    ['a Host with a path', 'Host: x/y\r\n'],
    ['a Host with a user', 'Host: a@b\r\n'],
    ['a Host with two ports', 'Host: a:1:2\r\n'],
  ])('the server refuses %s with a problem', async (_, lines) => {
    const answer = await sendRaw(`GET /things/7 HTTP/1.1\r\n${lines}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close/i);
    expect(answer).toContain('"code":"invalid_request"');
  });
  it('the server serves a request of HTTP/1.0 without a Host', async () => {
    expect(await sendRaw('GET /things/7 HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
  it('the server serves a request with an unknown expectation like any other', async () => {
    const request = 'GET /things/7 HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(request)).toMatch(/^HTTP\/1\.1 200 /);
  });
  it.each(['x', 'a.example:8080', '127.0.0.1', '[::1]:8080', 'xn--bcher-kva.example', 'a_b', 'a:'])(
    'the server accepts the Host %s',
    async (host) => {
      expect(await sendRaw(`GET /things/7 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 200 /,
      );
    },
  );
  it('the server reads 100 header lines, and refuses more instead of dropping the last', async () => {
    const withLines = (lines: number) =>
      sendRaw(
        `GET /things/7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a:b\r\n'.repeat(lines - 3)}X-Forwarded-For: 198.51.100.1\r\n\r\n`,
      );
    expect(await withLines(100)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await withLines(101)).toMatch(/^HTTP\/1\.1 431 [\s\S]*headers_too_large/);
    expect(await withLines(2_000)).toMatch(/^HTTP\/1\.1 431 /);
  });
  it('the server continues when a client leaves in the middle of its body', async () => {
    const lines: string[] = [];
    const observations: number[] = [];
    const ownServer = await serveApp({
      log: createLog('debug', 'test', { write: (line) => void lines.push(line) }),
      observe: (_, status) => observations.push(status),
    });
    const closing = new Promise<void>((resolve) =>
      ownServer.server.on('connection', (socket) => socket.on('close', resolve)),
    );
    const socket = connect(ownServer.port, '127.0.0.1', () =>
      socket.write(
        'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"id":1,',
        () => socket.destroy(),
      ),
    );
    await closing;
    await ownServer.close(100);
    expect([lines, observations]).toEqual([[], []]);
  });
  it('the signal of a request is aborted when its client leaves before the answer, and not after it', async () => {
    const lines: string[] = [];
    const signals: AbortSignal[] = [];
    const events = new EventEmitter();
    const ownServer = await serveApp({
      apis: [
        {
          ...api,
          handlers: {
            ...api.handlers,
            listThings: async ({ signal, query }: { signal: AbortSignal; query: { limit?: number } }) => {
              signals.push(signal);
              events.emit('begun');
              if (query.limit === 1) return { status: 200, body: { query } };
              await once(signal, 'abort');
              return signal.throwIfAborted();
            },
          },
        } as Api,
      ],
      log: createLog('warn', 'test', { write: (line) => void lines.push(line) }),
    });
    expect((await fetch(`${ownServer.url}/things?limit=1`)).status).toBe(200);
    const start = once(events, 'begun');
    const socket = connect(ownServer.port, '127.0.0.1', () => socket.write('GET /things HTTP/1.1\r\nHost: x\r\n\r\n'));
    await start;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    const abortion = once(signals[1]!, 'abort');
    socket.destroy();
    await abortion;
    await ownServer.close(100);
    expect(signals[0]!.aborted).toBe(false);
    expect(lines).toEqual([]);
  });
  it('the server redirects browsers to https where its address is https', async () => {
    const ownServer = await serveApp({ httpsOnly: true, onContractBreach: () => undefined });
    for (const path of ['/things/7', '/nothing', '/things/x'])
      expect((await fetch(ownServer.url + path)).headers.get('strict-transport-security')).toBe('max-age=31536000');
    await ownServer.close(100);
    expect((await get('/things/7')).headers.get('strict-transport-security')).toBeNull();
  });
  it('the server uses the path of an absolute request target and never its host', async () => {
    const answer = await sendRaw(
      'GET http://evil.example/things/7 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toContain('"id":7');
    expect(answer).not.toContain('evil');
  });
  it('the server answers 405 with Allow, also to TRACE, and ignores method overrides', async () => {
    expect(await sendRaw('TRACE /things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 [\s\S]*allow: GET, HEAD, POST, OPTIONS/,
    );
    expect(await sendRaw('TRACE /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 [\s\S]*allow: GET, HEAD, OPTIONS/,
    );
    const response = await get('/things/7', { method: 'POST', headers: { 'x-http-method-override': 'GET' } });
    expect([response.status, await code(response)]).toEqual([405, 'method_not_allowed']);
  });
  it('the server answers a client that has closed its side after a whole request', async () => {
    const server = await listen(
      (message, response) => {
        message.resume();
        // Only once the client's end has arrived.
        message.socket.once('end', () => setImmediate(() => response.end('still here')));
      },
      { host: '127.0.0.1', port: 0 },
    );
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(server.port, '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    await server.close(0);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*still here/);
  });
  it('the server does not wait for an unused open connection', async () => {
    const server = await listen((_, response) => response.end(), { host: '127.0.0.1', port: 0 });
    const arrival = new Promise((resolve) => server.server.once('connection', resolve));
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    const closing = new Promise((resolve) => socket.once('close', resolve));
    await arrival;
    // Waited for, it would outlast the test.
    await server.close(600_000);
    await closing;
  });
  it('the server lets a running request finish before it ends', async () => {
    let begin: (response: ServerResponse) => void;
    const beginning = new Promise<ServerResponse>((resolve) => (begin = resolve));
    const server = await listen((_, response) => begin(response), { host: '127.0.0.1', port: 0 });
    const answer = fetch(server.url);
    const response = await beginning;
    const closing = server.close(600_000);
    response.setHeader('connection', 'close').end('still here');
    expect(await (await answer).text()).toBe('still here');
    await closing;
  });
  it('the server answers HEAD as GET without a body', async () => {
    const response = await get('/things/7', { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '8', '']);
  });
  it('the server lets pages of other origins read and never write', async () => {
    const preflight = (path: string, method: string) =>
      get(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example', 'access-control-request-method': method },
      });
    const allowedHeaders = (await preflight('/things', 'GET')).headers;
    expect(allowedHeaders.get('access-control-allow-origin')).toBe('*');
    expect(allowedHeaders.get('access-control-allow-headers')).toContain('if-none-match');
    expect((await get('/things')).headers.get('access-control-expose-headers')).toMatch(/^ETag, .*Retry-After/);
    for (const [path, status] of [
      ['/nothing', 404],
      ['/things/7/parts', 404],
    ] as const) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, status, '*']);
      expect((await preflight(path, 'GET')).headers.get('access-control-allow-origin')).toBe('*');
      expect((await preflight(path, 'POST')).headers.get('access-control-allow-origin')).toBeNull();
      expect((await get(path, { method: 'POST' })).headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await preflight('/things', 'POST')).headers.get('access-control-allow-origin')).toBeNull();
    expect((await post('{"id":1}')).headers.get('access-control-allow-origin')).toBeNull();
    expect((await get('/things')).headers.get('access-control-allow-credentials')).toBeNull();
  });
  it('the server reports a port in use', async () => {
    await expect(listen(() => undefined, { host: '127.0.0.1', port: server.port })).rejects.toThrow(PortInUse);
    await expect(listen(() => undefined, { host: '192.0.2.1', port: 0 })).rejects.toThrow(CannotListen);
  });
});

describe('a closing server', () => {
  /** Written in one turn with the closing: it has arrived, and the server has not looked yet. */
  const closing = async (prepare: (socket: Socket) => Promise<void>) => {
    const server = await listen(
      (_, response) => {
        response.end('here');
      },
      { host: '127.0.0.1', port: 0 },
    );
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    await prepare(socket);
    const answers = () => text.split('here').length - 1;
    const answerPromise = answers();
    const closing = once(socket, 'close').catch(() => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await server.close();
    await closing;
    return answers() - answerPromise;
  };
  it('a server that closes answers a request that came on a connection kept alive', async () => {
    const request = async (socket: Socket) => {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'data');
    };
    expect(await closing(request)).toBe(1);
  });
  it('a server that closes answers the first request of a connection', async () => {
    expect(await closing(async () => undefined)).toBe(1);
  });
});

describe('refusals', () => {
  it('a server without a host listens on both families of addresses', async () => {
    const server = await listen(
      (_, response) => {
        response.end('here');
      },
      { host: '::', port: 0 },
    );
    const families = Object.values(networkInterfaces())
      .flat()
      .some((network) => network?.address === '::1')
      ? ['127.0.0.1', '[::1]']
      : ['127.0.0.1'];
    for (const host of families) expect(await (await fetch(`http://${host}:${server.port}/`)).text()).toBe('here');
    await server.close();
  });
  it('a refusal of a rule gets its status and sentence, with the extra members of the rule', async () => {
    next = () => {
      throw new Refusal('taken', { extra: { id: 12 } });
    };
    const response = await post('{"id":1}');
    expect([response.status, await response.json()]).toEqual([
      409,
      { error: 'taken.', code: 'taken', request_id: 'req_1', id: 12 },
    ]);
  });
  it('a refusal of the database is 503 and may be retried', async () => {
    next = () => {
      throw new DatabaseUnavailable('busy');
    };
    const response = await post('{"id":1}');
    expect([response.status, response.headers.get('retry-after'), await code(response)]).toEqual([
      503,
      '1',
      'unavailable',
    ]);
  });
  it('an unexpected error discloses nothing to the client', async () => {
    next = () => {
      throw new Error('SELECT secret FROM /etc/passwd');
    };
    const response = await post('{"id":1}');
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'internal.', code: 'internal', request_id: 'req_1' },
    ]);
  });
  it('an error of a page discloses nothing, and an unknown page gets the 404 of the contract', async () => {
    const ownServer = await serveApp({
      httpsOnly: true,
      mountPages: (pages) => {
        pages.get('/page', (_request, response) => void response.end('the page'));
        pages.get('/broken', () => {
          throw new Error('ENOENT /etc/secret');
        });
      },
    });
    const page = await fetch(`${ownServer.url}/page`);
    expect([page.status, page.headers.get('strict-transport-security'), await page.text()]).toEqual([
      200,
      'max-age=31536000',
      'the page',
    ]);
    const brokenAnswer = await fetch(`${ownServer.url}/broken`);
    expect([brokenAnswer.status, await brokenAnswer.json()]).toEqual([
      500,
      { error: 'internal.', code: 'internal', request_id: 'req_1' },
    ]);
    for (const [path, method] of [
      ['/nothing', 'GET'],
      ['/page', 'POST'],
      ['/page', 'OPTIONS'],
    ] as const) {
      const answer = await fetch(`${ownServer.url}${path}`, { method });
      expect([answer.status, await code(answer), answer.headers.has('ratelimit')]).toEqual([404, 'not_found', true]);
    }
    await ownServer.close(100);
  });
  it('a refusal with 401 counts against the limit of the address as well', async () => {
    const ownServer = await serveApp({ limits: { perAddress: 3, failedAuthentications: 100 } });
    const ask = async (authorization?: string) =>
      (await fetch(`${ownServer.url}/things`, authorization === undefined ? {} : { headers: { authorization } }))
        .status;
    expect([await ask('Bearer wrong'), await ask('Bearer wrong'), await ask()]).toEqual([401, 401, 200]);
    expect([await ask(), await ask('Bearer wrong'), await ask('Bearer right')]).toEqual([429, 429, 200]);
    await ownServer.close(100);
  });
  it('a request for an unknown path counts against the limit of the address', async () => {
    const ownServer = await serveApp({ limits: { perAddress: 2, failedAuthentications: 100 } });
    const statuses = [];
    for (const path of ['/nowhere', '/elsewhere', '/nowhere'])
      statuses.push((await fetch(ownServer.url + path)).status);
    expect(statuses).toEqual([404, 404, 429]);
    await ownServer.close(100);
  });
  it('a body refused before authentication counts against the limit of the address', async () => {
    const ownServer = await serveApp({ limits: { perAddress: 2, failedAuthentications: 100 } });
    const headers = { 'content-type': 'text/plain', authorization: 'Bearer right' };
    const send = () => fetch(`http://127.0.0.1:${ownServer.port}/things`, { method: 'POST', headers, body: '{}' });
    const first = await send();
    expect(first.headers.get('accept')).toBe('application/json');
    expect([first.status, (await send()).status, (await send()).status]).toEqual([415, 415, 429]);
    await ownServer.close();
  });
  it('failed authentications end in 429, while a good credential from the same address passes', async () => {
    const as = (key: string) => get('/things', { headers: { authorization: `Bearer ${key}` } });
    const firstAnswer = await as('wrong');
    expect([firstAnswer.status, firstAnswer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await as('wrong')).status).toBe(401);
    const limitedAnswer = await as('wrong');
    expect([
      limitedAnswer.status,
      limitedAnswer.headers.get('retry-after'),
      limitedAnswer.headers.get('ratelimit'),
    ]).toEqual([429, '60', '"failed";r=0;t=60']);
    expect((await as('right')).status).toBe(200);
  });
});

describe('the contract', () => {
  it('the contract check reports an undocumented response header', async () => {
    next = () => ({});
    extraHeaders = { 'x-surprise': '1' };
    const response = await get('/things/newest');
    expect([response.status, breaches]).toEqual([500, ['getNewest: 200 header x-surprise is not in the document']]);
  });
  it('the contract check reports an undocumented response shape', async () => {
    next = () => {
      throw new Refusal('not_found');
    };
    const response = await get('/things/newest');
    expect([response.status, breaches]).toEqual([500, ['getNewest: status 404 is not in the document']]);
    next = () => [];
    expect((await post('{"id":1}')).status).toBe(500);
    expect(breaches[1]).toMatch(/^addThing: 200 .*"must be object".* in \[\]$/);
  });
  it('a server without a handler for an operation does not start', async () => {
    const incompleteApi = { ...api, handlers: { listThings: api.handlers['listThings']! } };
    await expect(serveApp({ apis: [incompleteApi] })).rejects.toThrow('addThing');
  });
});
