import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fetch } from 'undici';
import { type FakeService, startFakeService, terminalId } from '../test/fake-service.js';
import { type Check, doctorChecks, statusChecks } from './checks.js';
import { readRunConfig } from './config.js';
import { hostOf } from './host.js';
import { loadOrCreateKey } from './key.js';
import { fileDisk, journalFile, openJournal } from './offline/journal.js';
import type { PcscBinding } from './reader/pcsc.js';
import { storeRegistration } from './registration.js';
import type { Fetch } from './request.js';
import { openScreenServer } from './screen/server.js';
import type { World } from './world.js';

const random = (length: number): Uint8Array => Uint8Array.from(randomBytes(length));
const host = hostOf('linux', {}, { node: 'node', script: 'main.js' });
let folder: string;
let service: FakeService;
let clockOffset: number;
const world: World = {
  fetch: fetch as Fetch,
  now: () => Date.now() + clockOffset,
  elapsed: () => performance.now(),
  uptime: () => performance.now(),
  random,
  sleep: () => Promise.resolve(),
  print: () => undefined,
  device: 'a test',
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checks-'));
  service = await startFakeService();
  clockOffset = 0;
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const config = (more: Record<string, string> = {}) =>
  readRunConfig({
    SERVICE_URL: service.address.href,
    STATE_DIR: folder,
    READER: 'smartcard',
    TIME_ZONE: 'Europe/Berlin',
    ...more,
  });
const texts = (checks: readonly Check[]) => checks.map(({ about, state, text }) => `${about} ${state}: ${text}`);

async function pairAgent() {
  const key = await loadOrCreateKey(folder, random);
  await storeRegistration(folder, { terminalId, serviceUrl: service.address.href });
  service.terminal.publicKey = Buffer.from(key.publicKey);
  return key;
}
const binding = (...names: readonly string[]): PcscBinding => ({
  open(events) {
    for (const name of names) events.attached(name);
    return { close: () => undefined };
  },
});

describe('status', () => {
  it('status says that this PC is not paired, and whether the service answers', async () => {
    const lines = texts(await statusChecks(config(), world, host));
    expect(lines).toEqual([
      expect.stringMatching(/^key warning: there is none yet/),
      expect.stringMatching(/^pairing fault: not paired/),
      expect.stringMatching(/^service ok: .* answers in/),
    ]);
  });

  it('status finds an address that leads to another path', async () => {
    service.failures.set('GET /api/v1/status', [{ status: 404, code: 'not_found' }]);
    const lines = texts(await statusChecks(config(), world, host));
    expect(lines.at(-1)).toMatch(/^service fault: .* leads to another program/);
  });

  it('status says that all is well', async () => {
    const key = await pairAgent();
    service.offers.offline = true;
    expect(texts(await statusChecks(config(), world, host))).toEqual([
      `key ok: fingerprint ${key.fingerprint}`,
      `pairing ok: ${terminalId}`,
      expect.stringMatching(/^service ok: /),
      'clock ok: agrees with the service; the door shows times of Europe/Berlin',
      'terminal ok: Main entrance: confirmed, offers offline',
      'offline ok: no stamps wait',
    ]);
  });

  it('status finds a wrong clock, a missing confirmation, stamps that wait, and those of an earlier pairing', async () => {
    const key = await pairAgent();
    service.terminal.confirmed = false;
    clockOffset = 20_000;
    for (const id of [terminalId, 'trm_EARLIER'])
      await (await openJournal(fileDisk(journalFile(folder, id, key)))).record(() => 'sealed');
    const report = texts(await statusChecks(config(), world, host)).join('\n');
    expect(report).toMatch(/clock warning: 20 s ahead of the service/);
    expect(report).toMatch(/terminal fault: .* not confirmed/);
    expect(report).toMatch(/offline ok: 1 stamps wait/);
    expect(report).toMatch(/offline warning: 1 stamps of an earlier pairing .*trm_EARLIER/);
  });

  it('status finds a key that is known no more, and a folder that others may write to', async () => {
    await pairAgent();
    service.terminal.publicKey = Buffer.alloc(32, 1);
    await chmod(folder, 0o777);
    const report = texts(await statusChecks(config(), world, host)).join('\n');
    expect(report).toMatch(/terminal fault: .*pair it again/);
    expect(report).toMatch(/key fault: others may write/);
  });
});

describe('doctor', () => {
  const look = async (more: Record<string, string>, devices: Parameters<typeof doctorChecks>[3]) =>
    texts(await doctorChecks(config(more), world, host, devices)).join('\n');
  const workingReader = {
    obstacle: async () => undefined,
    binding: async () => binding('ACS ACR1252 PICC', 'ACS ACR1252 SAM'),
  };

  it('doctor finds the reader, or says why there is none', async () => {
    expect(await look({ READER_NAME: 'PICC' }, workingReader)).toMatch(/reader ok: ACS ACR1252 PICC$/m);
    expect(await look({ READER_NAME: 'Other' }, workingReader)).toMatch(/reader fault: none has "Other".*ACR1252/);
    expect(await look({}, { ...workingReader, binding: async () => binding() })).toMatch(
      /reader fault: none is connected/,
    );
    expect(await look({}, { ...workingReader, obstacle: async () => 'pcscd is not running' })).toMatch(
      /pcscd fault: .*systemctl/,
    );
    expect(await look({}, { ...workingReader, binding: () => Promise.reject(new Error('not installed')) })).toMatch(
      /reader fault: not installed/,
    );
  });

  it('doctor finds a screen that nobody serves', async () => {
    expect(await look({}, workingReader)).toMatch(/screen warning: off/);
    expect(await look({ SCREEN_PORT: '1' }, workingReader)).toMatch(/screen warning: nothing answers/);
  });

  it('doctor tells the screen of the terminal from another program at its port', async () => {
    const frame = () => {
      throw new Error('nobody asks for it');
    };
    await writeFile(join(folder, 'index.html'), '<!doctype html>');
    const screen = await openScreenServer({ port: 0, folder, frame, act: () => undefined });
    expect(await look({ SCREEN_PORT: String(screen.port) }, workingReader)).toMatch(/screen ok: /);
    await screen.close();
    expect(await look({ SCREEN_PORT: service.address.port }, workingReader)).toMatch(
      /screen fault: another program listens/,
    );
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await look({ SCREEN_PORT: String(port) }, workingReader)).toMatch(/screen fault: another program listens/);
    server.close();
  });
});
