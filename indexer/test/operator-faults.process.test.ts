/** A mistake of the operator ends the process with one sentence that names it, exit code 1 and no stack. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFolder } from '../src/package-folder.js';
import { migrations } from '../src/store/schema.js';

const folder = mkdtempSync(join(tmpdir(), 'clockproof-operator-'));
let home: TestDatabase;
let otherServer: Server;

beforeAll(async () => {
  home = await createTestDatabase('sqlite');
  const db = await openDatabase(home.settings);
  await db.migrate(migrations);
  await db.close();
  writeFileSync(join(folder, 'taken'), 'mine');
  otherServer = createServer((_, response) => response.writeHead(404).end('no')).listen(0, '127.0.0.1');
  await new Promise((resolve) => otherServer.once('listening', resolve));
});
afterAll(async () => {
  otherServer.close();
  await home.drop();
  rmSync(folder, { recursive: true });
});

/** A port without a listener. */
const closedUrl = 'http://127.0.0.1:1';
const strangerUrl = () => `http://127.0.0.1:${(otherServer.address() as AddressInfo).port}`;

async function execute(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [join(packageFolder, 'dist/src/main.js'), ...words], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ACCEPT_TERMS: 'true',
      CHAIN_ANCHOR_PACKAGE: '0x2',
      CHAIN_GRAPHQL_URL: `${closedUrl}/graphql`,
      LISTEN_ADDR: '127.0.0.1:0',
      DB_DSN: home.settings.dsn,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output };
}

describe('a fault of the operator', () => {
  it.each([
    ['a folder as database', [], () => ({ DB_DSN: folder }), 'DB_DSN: '],
    ['a database under a file', [], () => ({ DB_DSN: join(folder, 'taken/index.sqlite') }), 'DB_DSN: '],
    [
      'a database that does not answer',
      [],
      () => ({ DB_DRIVER: 'postgres', DB_DSN: 'postgres://nobody@127.0.0.1:1/none' }),
      'DB_DSN: ',
    ],
    [
      'an address of another machine',
      [],
      () => ({ LISTEN_ADDR: '192.0.2.1:8080' }),
      'LISTEN_ADDR: cannot listen on 192.0.2.1',
    ],
    [
      'an address that has no meaning',
      [],
      () => ({ LISTEN_ADDR: 'no.such.host.invalid:8080' }),
      'LISTEN_ADDR: cannot listen on no.such.host.invalid',
    ],
    ['a file that is there', ['export', join(folder, 'taken')], () => ({}), join(folder, 'taken')],
    ['a file that is not there', ['import', join(folder, 'none')], () => ({}), join(folder, 'none')],
    ['a ledger that does not answer', ['import', join(folder, 'taken')], () => ({}), 'the node cannot be reached'],
    [
      'a database that is not there',
      ['export'],
      () => ({ DB_DSN: join(folder, 'none.sqlite') }),
      `there is no database at ${join(folder, 'none.sqlite')}`,
    ],
    [
      'a database that is not there',
      ['reindex', '--from', '0'],
      () => ({ DB_DSN: join(folder, 'none.sqlite') }),
      `there is no database at ${join(folder, 'none.sqlite')}`,
    ],
    [
      'a database that is not there',
      ['doctor'],
      () => ({ DB_DSN: join(folder, 'none.sqlite') }),
      `there is no database at ${join(folder, 'none.sqlite')}`,
    ],
    [
      'an index that does not answer',
      ['compare', closedUrl, closedUrl],
      () => ({}),
      `${closedUrl}/api/v1/status cannot be reached`,
    ],
    ['a stranger in place of an index', ['compare', 'STRANGER', 'STRANGER'], () => ({}), '/api/v1/status answered 404'],
  ] as const)('%s (%j)', async (_, words, env, sentence) => {
    const { code, output } = await execute(
      words.map((word) => (word === 'STRANGER' ? strangerUrl() : word)),
      env(),
    );
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(sentence) });
    expect(output).not.toMatch(/^\s+at /m);
  });
});

it('clockproof-verify gives its verdict to a reader that stops early', async () => {
  const path = join(packageFolder, 'bin/clockproof-verify.js');
  const child = spawn(process.execPath, [path, join(folder, 'taken')], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, complaint]).toEqual([1, '']);
});
