/**
 * A small service of another kind: people clock in and out over the API, there are no pages, and `small-adapter.mjs` makes
 * its fixtures.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readAdapter } from '../adapters/read.js';
import type { AdapterFactory } from '../kit/adapter.js';
import { root, type Target } from '../kit/target.js';

export const smallAdapter = join(root, 'test/small-adapter.mjs');

export interface Instead {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

export interface SmallService {
  readonly target: Target;
  readonly adapter: AdapterFactory;
  /** Paths that were asked for. */
  readonly paths: Set<string>;
  /** How an answer leaves: at once, unless a test says otherwise, or names another answer. */
  before: (path: string) => Promise<void> | Instead | undefined;
  /** With every answer. */
  headers: Readonly<Record<string, string>>;
  /** Of the status. */
  features: Readonly<Record<string, boolean>>;
  /** Lets everybody clock in who is in. */
  forgetful: boolean;
  close(): Promise<void>;
}

const operations = {
  'clock/in': 'clockIn',
  'clock/out': 'clockOut',
  'break/start': 'startBreak',
  states: 'listStates',
};
const ok = { description: 'x', content: { 'application/json': { schema: {} } } };
const document = {
  openapi: '3.1.0',
  paths: Object.fromEntries(
    Object.entries({ ...operations, status: 'getStatus' }).map(([path, operationId]) => [
      `/api/v1/${path}`,
      {
        [path.includes('/') ? 'post' : 'get']: {
          operationId,
          responses: Object.fromEntries(['200', '400', '403', '404', '409'].map((status) => [status, ok])),
        },
      },
    ]),
  ),
};

export async function openSmallService(): Promise<SmallService> {
  const people = new Map<number, 'in' | 'out'>();
  const keys = new Map<string, readonly string[]>();

  function answer(path: string, key: string, body: Readonly<Record<string, unknown>>): readonly [number, unknown] {
    if (path === '/api/v1/openapi.json') return [200, document];
    if (path === '/fixtures/people') return [201, { id: people.set(people.size + 1, 'out').size }];
    if (path === '/fixtures/keys') {
      keys.set(`key_${keys.size}`, body['scopes'] as readonly string[]);
      return [201, { key: `key_${keys.size - 1}` }];
    }
    if (path === '/api/v1/status') return [200, { version: '9.9.9', features: service.features }];
    if (!keys.has(key)) return [401, { code: 'unauthorized' }];
    const id = Number(new URL(path, 'http://x').searchParams.get('user_id') ?? body['user_id']);
    if (path.startsWith('/api/v1/clock/states'))
      return [200, { data: [{ user_id: id, state: people.get(id), since: 1 }] }];
    if (!keys.get(key)!.includes('write:clock')) return [403, { code: 'insufficient_scope' }];
    if (!Number.isSafeInteger(body['user_id']) || id <= 0) return [400, { code: 'invalid_request' }];
    const state = people.get(id);
    if (state === undefined) return [404, { code: 'not_found' }];
    const action = path.endsWith('/in') ? 'in' : 'out';
    if (path.endsWith('start') && state === 'out') return [409, { code: 'not_clocked_in' }];
    if (state === action && !service.forgetful)
      return [409, { code: action === 'in' ? 'already_clocked_in' : 'not_clocked_in' }];
    people.set(id, action);
    return [200, { clock_state: { user_id: id, state: action, since: 1 } }];
  }

  const server = createServer(async (request, response) => {
    const { url: path = '' } = request;
    service.paths.add(path);
    const text = await textOf(request);
    const override = await service.before(path);
    if (override !== undefined) return void response.writeHead(override.status, override.headers).end(override.text);
    const key = String(request.headers.authorization).replace('Bearer ', '');
    const [status, json] = answer(path, key, text === '' ? {} : (JSON.parse(text) as Record<string, unknown>));
    response.writeHead(status, { ...service.headers, 'content-type': 'application/json' }).end(JSON.stringify(json));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const service: SmallService = {
    target: { service: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } },
    adapter: (await readAdapter(smallAdapter, { service: { url: '' } }, ''))!,
    paths: new Set(),
    before: () => undefined,
    headers: {},
    features: {},
    forgetful: false,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return service;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}
