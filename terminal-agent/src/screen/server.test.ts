import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newDoor } from './machine.js';
import { openScreenServer, type ScreenServer } from './server.js';
import { frameOf } from './view.js';

const frame = frameOf(
  newDoor({
    pairing: 'confirmed',
    fingerprint: '',
    online: true,
    stopped: false,
    readerReady: true,
    recordsOffline: false,
    waiting: 0,
    info: false,
    infoWithoutPin: false,
  }),
  { language: 'de', countdown: undefined },
  { theme: 'light', reader: 'right', sound: 'off', timeZone: 'UTC', service: 'time.example.com' },
  { now: 0, serviceNow: 0, played: undefined },
);

let folder: string;
let server: ScreenServer;
let acts: unknown[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'screen-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'secret.key'), 'secret');
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  acts = [];
  server = await openScreenServer({
    port: 0,
    folder,
    frame: () => frame,
    act: (visit, act) => acts.push([visit, act]),
  });
});
afterEach(() => server.close());

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

/** Sends a request as a browser with this page would; `headers` overrides some. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string | undefined> = {},
  body?: string,
): Promise<Answer> {
  const host = `127.0.0.1:${server.port}`;
  const defaultHeaders = {
    host,
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
    ...(method === 'POST' ? { origin: `http://${host}` } : {}),
  };
  const definedHeaders = Object.fromEntries(
    Object.entries({ ...defaultHeaders, ...headers }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port: server.port, path, method, headers: definedHeaders },
      (answer) => {
        let text = '';
        const finish = () => resolve({ status: answer.statusCode!, headers: answer.headers, text });
        answer.on('data', (part: Buffer) => {
          text += part.toString();
          // A stream has no end: its first event is enough.
          if (path === '/frames') {
            finish();
            outgoing.destroy();
          }
        });
        answer.on('end', finish);
      },
    );
    outgoing.on('error', (error) => (path === '/frames' ? undefined : reject(error)));
    outgoing.end(body);
  });
}
const touch = JSON.stringify({ kind: 'touch', visit: 0 });

describe('the page at the door', () => {
  it('the page comes with a policy that loads nothing from elsewhere', async () => {
    const { status, headers } = await ask('GET', '/', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' });
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|http|data:|\*/);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('the page gets what to show', async () => {
    const { headers, text } = await ask('GET', '/frames');
    expect(headers['content-type']).toMatch(/^text\/event-stream/);
    expect(text).toContain(`data: ${JSON.stringify(frame).slice(0, -1)},`);
  });

  it.each([
    ['touch', { kind: 'touch' }],
    ['an action', { kind: 'act', action: 'break_end' }],
    ['a PIN', { kind: 'pin', pin: '012345' }],
    ['a code', { kind: 'code', code: '7K3M-Q9XT' }],
  ])('the page sends %s', async (_, act) => {
    expect((await ask('POST', '/act', {}, JSON.stringify({ ...act, visit: 3 }))).status).toBe(204);
    expect(acts).toEqual([[3, act]]);
  });

  it.each([
    ['nothing', ''],
    ['an unknown act', '{"kind":"dance","visit":0}'],
    ['a number as PIN', '{"kind":"pin","pin":123456,"visit":0}'],
    ['another visit', '{"kind":"touch","visit":-1}'],
    ['too much', JSON.stringify({ kind: 'touch', visit: 0, more: 'x'.repeat(2_000) })],
  ])('the server does not understand a page with %s', async (_, body) => {
    expect((await ask('POST', '/act', {}, body)).status).toBe(400);
    expect(acts).toEqual([]);
  });
});

describe('anyone but this page', () => {
  it.each([
    ['a name that was rebound to this machine', { host: 'attacker.example' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['a page of another origin', { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }],
    ['another page on this machine', { origin: 'http://127.0.0.1:9999', 'sec-fetch-site': 'same-site' }],
    ['an old browser on another page', { origin: 'http://127.0.0.1:9999', 'sec-fetch-site': undefined }],
    ['a page without an origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a program that names no origin', { origin: undefined, 'sec-fetch-site': undefined }],
  ])('another page cannot act: %s', async (_, headers) => {
    expect((await ask('POST', '/act', headers, touch)).status).toBe(403);
    expect(acts).toEqual([]);
  });

  it.each([
    ['a name that was rebound to this machine', { host: 'attacker.example' }],
    ['another page on this machine', { 'sec-fetch-site': 'same-site' }],
    ['a page elsewhere', { 'sec-fetch-site': 'cross-site' }],
    ['a page elsewhere that opens it', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
  ])('another page cannot listen: %s', async (_, headers) => {
    expect((await ask('GET', '/frames', headers)).status).toBe(403);
  });

  it.each(['/secret.key', '/..%2fsecret.html', '/../../etc/passwd', '/.html', '/missing.js'])(
    'another page gets no file %s',
    async (path) => {
      expect((await ask('GET', path)).status).toBe(404);
    },
  );

  it('a plain form cannot act', async () => {
    expect((await ask('POST', '/act', { 'content-type': 'text/plain' }, touch)).status).toBe(400);
  });
});
