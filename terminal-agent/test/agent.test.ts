import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type AgentProcess, startAgent } from './agent-process.js';
import { badgeKeys } from './door.js';
import { type FakeService, fingerprint, type Holder, startFakeService } from './fake-service.js';

// Every step starts a process.
jest.setTimeout(60_000);

let folder: string;
let service: FakeService;
let env: Record<string, string>;
const running: AgentProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terminal-agent-'));
  service = await startFakeService();
  env = {
    SERVICE_URL: service.url.href,
    STATE_DIR: join(folder, 'state'),
    CARDS_DIR: join(folder, 'cards'),
    READER: 'simulated',
    SIMULATOR_PORT: '0',
    TIME_ZONE: 'Europe/Berlin',
  };
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  for (const agent of running.splice(0)) {
    agent.signal('SIGKILL');
    await agent.ended;
  }
});

function start(args: readonly string[] = [], more: Record<string, string> = {}): AgentProcess {
  const agent = startAgent(args, { ...env, ...more });
  running.push(agent);
  return agent;
}

async function tell(agent: AgentProcess, body: object): Promise<unknown> {
  const url = (await agent.line(/^Simulator: /)).replace('Simulator: ', '');
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

const ada: Holder = { firstName: 'Ada', family: 'desfire', keys: badgeKeys, state: 'out' };

// One story: each step stands on the ones before, as it does on an entrance PC.
describe('the program of an entrance PC', () => {
  it('names every fault of its configuration and ends with 78', async () => {
    const agent = start([], { SERVICE_URL: 'nonsense', READER: 'magic', CARDS_DIR: '' });
    expect(await agent.ended).toBe(78);
    expect(agent.errors).toEqual([
      expect.stringMatching(/^configuration: SERVICE_URL /),
      expect.stringMatching(/^configuration: READER /),
    ]);
  });

  it('explains itself to who mistypes, and ends with 64', async () => {
    const agent = start(['dance']);
    expect(await agent.ended).toBe(64);
    expect(agent.errors.join('\n')).toMatch(/pair <code>/);
  });

  it('does not run before it is paired', async () => {
    const agent = start();
    expect(await agent.ended).toBe(78);
    expect(agent.errors).toEqual([expect.stringMatching(/^configuration: this PC is not paired/)]);
  });

  it('is refused with a wrong code', async () => {
    const agent = start(['pair', 'AAAA-AAAA']);
    expect(await agent.ended).toBe(1);
    expect(agent.errors).toEqual([expect.stringMatching(/pairing_code_invalid/)]);
  });

  it('pairs, shows the fingerprint of its own key, and waits for the confirmation', async () => {
    const agent = start(['pair', '7k3m-q9xt']);
    const shown = await agent.line(/^Fingerprint: /);
    expect(shown).toBe(`Fingerprint: ${fingerprint(service.terminal.publicKey!)}`);
    await agent.line(/confirm there/);
    service.terminal.confirmed = true;
    expect(await agent.ended).toBe(0);
    expect(agent.lines).toEqual([
      'Terminal: trm_7Q2MZK4D',
      shown,
      expect.stringMatching(/confirm there/),
      'Confirmed: Main entrance',
    ]);
    expect((await stat(join(folder, 'state', 'terminal.key'))).mode & 0o777).toBe(0o600);
  });

  it('shows the fingerprint again when asked', async () => {
    const agent = start(['fingerprint']);
    expect(await agent.ended).toBe(0);
    expect(agent.lines).toEqual([fingerprint(service.terminal.publicKey!)]);
  });

  it('makes a simulated card, and no second one of that name', async () => {
    const first = start(['new-card', '--name', 'ada', '--uid', '04958CAA5C5E80']);
    expect(await first.ended).toBe(0);
    expect(first.lines).toEqual([`Card: ${join(folder, 'cards', 'ada.json')}`, 'UID: 04958caa5c5e80']);
    const second = start(['new-card', '--name', 'ada', '--family', 'ntag424']);
    expect(await second.ended).toBe(1);
    expect(JSON.parse(await readFile(join(folder, 'cards', 'ada.json'), 'utf8'))).toMatchObject({
      family: 'desfire-ev3',
      applications: [],
    });
  });

  it('issues a badge and stamps with it', async () => {
    service.issuing = { holder: ada };
    const agent = start();
    await agent.line(/^Main entrance: hold the new badge of Ada here$/);
    expect(await tell(agent, { present: 'ada', wait: true })).toMatchObject({ outcome: 'issued' });
    expect(await tell(agent, { present: 'ada', wait: true })).toMatchObject({
      outcome: 'stamped',
      action: 'in',
      state: 'in',
    });
    expect(await tell(agent, { remove: true })).toEqual({ removed: true });
    expect(await agent.line(/^Ada: clocked in/)).toMatch(/^Ada: clocked in at [0-2][0-9]:[0-5][0-9]$/);
    expect(await tell(agent, { present: 'ada', action: 'break_start', wait: true })).toMatchObject({
      outcome: 'stamped',
      state: 'on_break',
    });
    agent.signal('SIGTERM');
    expect(await agent.ended).toBe(0);
    expect(agent.errors).toEqual([]);
  });

  it('knows the badge again after a restart, with a corrected clock', async () => {
    service.ahead = 3_600_000;
    const agent = start();
    expect(await tell(agent, { present: 'ada', wait: true })).toMatchObject({ outcome: 'stamped', action: 'out' });
    agent.signal('SIGINT');
    expect(await agent.ended).toBe(0);
    service.ahead = 0;
  });

  it('lives through a service that is away, and stops while it is', async () => {
    const gone: Server = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/`;
    await new Promise((resolve) => gone.close(resolve));
    const stateFolder = join(folder, 'elsewhere');
    const fresh = start(['fingerprint'], { STATE_DIR: stateFolder });
    expect(await fresh.ended).toBe(0);
    await writeFile(
      join(stateFolder, 'terminal.json'),
      JSON.stringify({ terminal_id: 'trm_7Q2MZK4D', service_url: url }),
    );
    const agent = start([], { STATE_DIR: stateFolder, SERVICE_URL: url });
    await agent.line(/^The service cannot be reached: .*ECONNREFUSED/);
    expect(await tell(agent, { present: 'ada' })).toEqual({ present: 'ada' });
    agent.signal('SIGTERM');
    expect(await agent.ended).toBe(0);
  });

  it('keeps its key to itself: nothing that was printed or sent contains it', async () => {
    const seed = Buffer.from((await readFile(join(folder, 'state', 'terminal.key'), 'utf8')).trim(), 'base64');
    expect(seed).toHaveLength(32);
    const sent = JSON.stringify(service.bodies);
    for (const form of ['base64', 'base64url', 'hex'] as const) expect(sent).not.toContain(seed.toString(form));
    const agent = start();
    await agent.line(/hold your badge here/);
    agent.signal('SIGTERM');
    await agent.ended;
    for (const form of ['base64', 'base64url', 'hex'] as const)
      expect([...agent.lines, ...agent.errors].join('\n')).not.toContain(seed.toString(form));
  });
});
