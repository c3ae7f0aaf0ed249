import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cardFolder } from '../src/card-folder.js';
import { loadOrCreateKey, type TerminalKey } from '../src/key.js';
import { fileDisk, journalFile, openJournal } from '../src/offline/journal.js';
import { storeRegistration } from '../src/registration.js';
import { version } from '../src/version.js';
import { type AgentProcess, startAgent } from './agent-process.js';
import { badgeKeys } from './door.js';
import { type FakeService, fingerprint, type Holder, startFakeService, terminalId } from './fake-service.js';

// Every test starts a process.

let folder: string;
let service: FakeService;
let env: Record<string, string>;
const runningAgents: AgentProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terminal-agent-'));
  service = await startFakeService();
  env = {
    SERVICE_URL: service.address.href,
    STATE_DIR: join(folder, 'state'),
    CARDS_DIR: join(folder, 'cards'),
    READER: 'simulated',
    SIMULATOR_PORT: '0',
    TIME_ZONE: 'Europe/Berlin',
  };
});
afterEach(async () => {
  for (const agent of runningAgents.splice(0)) {
    agent.signal('SIGKILL');
    await agent.exit;
  }
  await service.close();
  await rm(folder, { recursive: true });
});

function start(args: readonly string[] = [], more: Record<string, string> = {}): AgentProcess {
  const agent = startAgent(args, { ...env, ...more });
  runningAgents.push(agent);
  return agent;
}

const random = (length: number): Uint8Array => Uint8Array.from(randomBytes(length));

/** A PC that was paired and confirmed before. */
async function pairBefore(serviceUrl = service.address.href): Promise<TerminalKey> {
  const state = join(folder, 'state');
  const key = await loadOrCreateKey(state, random);
  await storeRegistration(state, { terminalId, serviceUrl });
  Object.assign(service.terminal, { publicKey: Buffer.from(key.publicKey), confirmed: true });
  return key;
}

/** Simulates a card in factory state that is about to become the badge of Ada. */
async function addAdasCard(): Promise<void> {
  await cardFolder(join(folder, 'cards'), random).create('ada', 'desfire-ev3', random(7));
  service.issuing = { holder: adasBadge() };
}

async function control(agent: AgentProcess, body: object): Promise<unknown> {
  const url = (await agent.line(/^Simulator: /)).replace('Simulator: ', '');
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

/** A new one each time: the service changes the state. */
const adasBadge = (): Holder => ({ firstName: 'Ada', family: 'desfire', keys: badgeKeys, state: 'out' });

describe('the program of an entrance PC', () => {
  it('names every configuration error and exits with 78', async () => {
    const agent = start([], { SERVICE_URL: 'nonsense', READER: 'magic', CARDS_DIR: '' });
    expect(await agent.exit).toBe(78);
    expect(agent.errors).toEqual([
      expect.stringMatching(/^configuration: SERVICE_URL /),
      expect.stringMatching(/^configuration: READER /),
    ]);
  });

  it('prints its usage after an unknown command and exits with 64', async () => {
    const agent = start(['dance']);
    expect(await agent.exit).toBe(64);
    expect(agent.errors.join('\n')).toMatch(/pair <code>/);
  });

  it('does not run before it is paired', async () => {
    const agent = start();
    expect(await agent.exit).toBe(78);
    expect(agent.errors).toEqual([expect.stringMatching(/^configuration: this PC is not paired/)]);
  });

  it('without a screen reports the stamps that one recorded before, and uploads them', async () => {
    const key = await pairBefore();
    const journal = await openJournal(fileDisk(journalFile(join(folder, 'state'), terminalId, key)));
    await journal.record((number) => `sealed ${number}`);
    await journal.record((number) => `sealed ${number}`);
    const lines: string[] = [];
    service.before = (operation) => {
      if (operation === 'offline') lines.push(service.facts['offline_waiting']!);
    };
    const agent = start();
    await agent.line(/^Offline stamps uploaded: 2 accepted/);
    expect(lines).toEqual(['2']);
    expect([...service.offline]).toEqual([
      [1, 'sealed 1'],
      [2, 'sealed 2'],
    ]);
  });

  it('refuses to pair with a wrong code', async () => {
    const agent = start(['pair', 'AAAA-AAAA']);
    expect(await agent.exit).toBe(1);
    expect(agent.errors).toEqual([expect.stringMatching(/pairing_code_invalid/)]);
  });

  it('keeps its key when a pairing with a new key is refused', async () => {
    const { fingerprint: previousFingerprint } = await pairBefore();
    const agent = start(['pair', 'AAAA-AAAA', '--new-key']);
    expect(await agent.exit).toBe(1);
    expect((await loadOrCreateKey(join(folder, 'state'), random)).fingerprint).toBe(previousFingerprint);
  });

  it('replaces its key with the pairing that the service accepts', async () => {
    const { fingerprint: previousFingerprint } = await pairBefore();
    const agent = start(['pair', service.terminal.pairingCode, '--new-key']);
    await agent.line(/confirm there/);
    service.terminal.confirmed = true;
    expect(await agent.exit).toBe(0);
    const { fingerprint: newFingerprint } = await loadOrCreateKey(join(folder, 'state'), random);
    expect(newFingerprint).not.toBe(previousFingerprint);
    expect(newFingerprint).toBe(fingerprint(service.terminal.publicKey!));
  });

  it('pairs, shows the fingerprint of its own key, and waits for the confirmation', async () => {
    const agent = start(['pair', '7k3m-q9xt']);
    const fingerprintLine = await agent.line(/^Fingerprint: /);
    expect(fingerprintLine).toBe(`Fingerprint: ${fingerprint(service.terminal.publicKey!)}`);
    await agent.line(/confirm there/);
    service.terminal.confirmed = true;
    expect(await agent.exit).toBe(0);
    expect(agent.lines).toEqual([
      'Terminal: trm_7Q2MZK4D',
      fingerprintLine,
      expect.stringMatching(/confirm there/),
      'Confirmed: Main entrance',
    ]);
    expect((await stat(join(folder, 'state', 'terminal.key'))).mode & 0o777).toBe(0o600);
  });

  it('exits with 1 if it is stopped before the confirmation', async () => {
    const agent = start(['pair', '7k3m-q9xt']);
    await agent.line(/confirm there/);
    agent.signal('SIGINT');
    expect(await agent.exit).toBe(1);
    expect(agent.errors).toEqual([expect.stringMatching(/^stopped before the confirmation/)]);
  });

  it('prints the fingerprint of its key', async () => {
    const key = await pairBefore();
    const agent = start(['fingerprint']);
    expect(await agent.exit).toBe(0);
    expect(agent.lines).toEqual([key.fingerprint]);
  });

  it('creates a simulated card, and no second one of that name', async () => {
    const first = start(['new-card', '--name', 'ada', '--uid', '04958CAA5C5E80']);
    expect(await first.exit).toBe(0);
    expect(first.lines).toEqual([`Card: ${join(folder, 'cards', 'ada.json')}`, 'UID: 04958caa5c5e80']);
    const second = start(['new-card', '--name', 'ada', '--family', 'ntag424']);
    expect(await second.exit).toBe(1);
    expect(JSON.parse(await readFile(join(folder, 'cards', 'ada.json'), 'utf8'))).toMatchObject({
      family: 'desfire-ev3',
      applications: [],
    });
  });

  it('issues a badge, stamps with it, and knows it again after a restart with a corrected clock', async () => {
    await pairBefore();
    await addAdasCard();
    const agent = start();
    await agent.line(/^Main entrance: hold the new badge here$/);
    expect(await control(agent, { present: 'ada', wait: true })).toMatchObject({ outcome: 'issued' });
    expect(await control(agent, { present: 'ada', wait: true })).toMatchObject({
      outcome: 'stamped',
      action: 'in',
      state: 'in',
    });
    expect(await control(agent, { remove: true })).toEqual({ removed: true });
    expect(await agent.line(/^Ada: clocked in/)).toMatch(/^Ada: clocked in at [0-2][0-9]:[0-5][0-9]$/);
    // A named action is deliberate, however soon it follows.
    expect(await control(agent, { present: 'ada', action: 'break_start', wait: true })).toMatchObject({
      outcome: 'stamped',
      state: 'on_break',
    });
    agent.signal('SIGTERM');
    expect(await agent.exit).toBe(0);
    expect(agent.errors).toEqual([]);

    service.ahead = 3_600_000;
    const restart = start();
    expect(await control(restart, { present: 'ada', wait: true })).toMatchObject({
      outcome: 'stamped',
      action: 'break_end',
    });
    restart.signal('SIGINT');
    expect(await restart.exit).toBe(0);
  });

  it('keeps running while the service is away, and stops on request', async () => {
    const server: Server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await new Promise((resolve) => server.close(resolve));
    await pairBefore(url);
    await addAdasCard();
    const agent = start([], { SERVICE_URL: url });
    await agent.line(/^The service cannot be reached: .*ECONNREFUSED/);
    expect(await control(agent, { present: 'ada' })).toEqual({ present: 'ada' });
    agent.signal('SIGTERM');
    expect(await agent.exit).toBe(0);
  });

  it('says in the question for its status how the device is doing', async () => {
    await pairBefore();
    const agent = start();
    await agent.line(/hold your badge here/);
    expect(service.facts).toEqual({
      agent_version: version,
      offline_waiting: '0',
      reader: 'simulated reader',
      reader_state: 'ready',
      run: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
    });
  });

  it('neither prints nor sends its private key', async () => {
    const pairing = start(['pair', service.terminal.pairingCode]);
    await pairing.line(/confirm there/);
    service.terminal.confirmed = true;
    await pairing.exit;
    const seed = Buffer.from((await readFile(join(folder, 'state', 'terminal.key'), 'utf8')).trim(), 'base64');
    expect(seed).toHaveLength(32);
    const agent = start();
    await agent.line(/hold your badge here/);
    agent.signal('SIGTERM');
    await agent.exit;
    const output = [JSON.stringify(service.bodies), ...pairing.lines, ...agent.lines, ...agent.errors].join('\n');
    expect(service.bodies.length).toBeGreaterThan(0);
    for (const form of ['base64', 'base64url', 'hex'] as const) expect(output).not.toContain(seed.toString(form));
  });
});
