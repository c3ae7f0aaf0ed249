/** Two devices with one key are stopped; one device never is, whatever happens to it. */

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dialects, oneDialect } from '@clockproof/platform/testing/databases';
import { minute, second } from '@clockproof/platform/time/instant';
import { readRunConfig } from '@clockproof/terminal-agent/src/config';
import { loadOrCreateKey } from '@clockproof/terminal-agent/src/key';
import { storeRegistration } from '@clockproof/terminal-agent/src/registration';
import type { Fetch } from '@clockproof/terminal-agent/src/request';
import { run as runAgent } from '@clockproof/terminal-agent/src/run';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { confirmTerminal } from '../../src/terminals/pairing.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { addDoor, type Door, deviceKey, doorOf, type HeldCard, issueBadge, newCode, openDoor, pair } from '../door.js';
import { createWorld, seededBytes, type World } from '../world.js';

const statusPath = '/api/v1/terminal/status';
const cardPath = '/api/v1/terminal/card';
const firstRun = 'the-first-program';
const secondRun = 'the-second-program';

describe.each(dialects)('a key on two devices, on %s', (dialect) => {
  let world: World;
  let rootId: number;
  let root: Browser;
  let door: Door;
  let badge: HeldCard;
  let count = 0;
  beforeAll(async () => {
    world = await createWorld(dialect);
    rootId = await addSuperAdmin(world);
  });
  beforeEach(async () => {
    count += 1;
    door = await openDoor(world, `copied ${count}`);
    badge = await issueBadge(world, door, world.people.ada, `04b0${String(count).padStart(10, '0')}`);
    root = await world.as(rootId);
  });
  afterAll(() => world.close());

  const status = async (run?: string, device = door) =>
    (await device.send('GET', run === undefined ? statusPath : `${statusPath}?run=${run}`)).body;
  const presentCard = async (run?: string) => {
    const { body } = await door.send('POST', cardPath, { uid: badge.uidHex, ...(run === undefined ? {} : { run }) });
    return body['code'] ?? 'answered';
  };
  /** Each asks every fifteen seconds, for so long. */
  const idle = async (runs: readonly (string | undefined)[], time: number) => {
    for (const end = world.now() + time; world.now() < end; world.advance(15 * second))
      for (const run of runs) await status(run);
  };
  const countAuditEntries = async () =>
    (
      await world.db.all<{ action: string }>(
        `SELECT action FROM audit_entries WHERE subject = :subject AND action = 'terminal.key_copied'`,
        { subject: `terminal ${door.terminalId}` },
      )
    ).length;
  const countNotices = async () =>
    ((await root.call('GET', '/app/notices')).body['data'] as { kind: string; terminal: { id: string } }[]).filter(
      ({ kind, terminal }) => kind === 'key_copied' && terminal.id === door.terminalId,
    ).length;
  const isStopped = async () => (await status())['stopped'] === 'key_copied';

  it('a key on two idle devices stops both, with one notice to the admins', async () => {
    await idle([firstRun, secondRun], 2 * minute);
    expect(await isStopped()).toBe(false);
    await idle([firstRun, secondRun], 2 * minute);
    for (const run of [firstRun, secondRun]) {
      expect(await status(run)).toMatchObject({ stopped: 'key_copied', offers: { offline: false } });
      expect(await presentCard(run)).toBe('terminal_stopped');
    }
    expect([await countAuditEntries(), await countNotices()]).toEqual([1, 1]);
    expect((await root.call('GET', `/app/admin/terminals/${door.terminalId}`)).body).toMatchObject({
      key_copied_at: expect.any(String),
    });
  });

  it('a key on two devices is detected while both stamp', async () => {
    for (const end = world.now() + 4 * minute; world.now() < end; world.advance(20 * second))
      for (const run of [firstRun, secondRun]) await presentCard(run);
    expect(await isStopped()).toBe(true);
    expect([await countAuditEntries(), await countNotices()]).toEqual([1, 1]);
  });

  it('a key on two devices ends the session of the present card', async () => {
    await status(firstRun);
    const { body } = await door.send('POST', cardPath, { uid: badge.uidHex, run: firstRun });
    await status(secondRun);
    world.advance(3 * minute + second);
    await status(firstRun);
    const step = { session: body['session'], response: '9100' };
    expect((await door.send('POST', `${cardPath}/step`, step)).body['code']).toBe('terminal_stopped');
  });

  it('a key on two devices is detected if one of them stamps without a name', async () => {
    await status(firstRun);
    world.advance(second);
    expect(await presentCard()).toBe('answered');
    world.advance(3 * minute + second);
    await status(firstRun);
    expect(await isStopped()).toBe(true);
  });

  it('a key on three devices is detected', async () => {
    await idle([firstRun, secondRun, 'the-third-program'], 4 * minute);
    expect(await isStopped()).toBe(true);
  });

  it('a key on two devices still delivers pending stamps, and needs another key to be paired', async () => {
    const at = new Date(world.now()).toISOString();
    await idle([firstRun, secondRun], 4 * minute);
    const stamp = { number: 1, uid: badge.uidHex, action: 'in', at };
    const upload = await door.send('POST', '/api/v1/terminal/offline', { stamps: [stamp] });
    expect(upload.body['results']).toEqual([{ number: 1, result: 'accepted' }]);
    const code = await newCode(world, door.terminalId);
    const copiedKey = deviceKey(`copied ${count}`).publicKey;
    expect((await pair(world, code, copiedKey)).body['code']).toBe('public_key_in_use');
    const pairing = await pair(world, code, deviceKey(`new ${count}`).publicKey);
    expect(pairing.status).toBe(201);
    await world.write((write) =>
      confirmTerminal(write, door.terminalId, world.nord, pairing.body['fingerprint'] as string),
    );
    const newDevice = doorOf(world, door.terminalId, `new ${count}`);
    expect((await status(firstRun, newDevice))['stopped']).toBeUndefined();
    expect((await newDevice.hold(badge)).body).toMatchObject({ result: 'proved' });
    expect((await door.send('GET', statusPath)).body['code']).toBe('signature_invalid');
    // Nor at another terminal.
    const otherDoor = await addDoor(world, { name: `Other gate ${count}` });
    expect((await pair(world, otherDoor.code, copiedKey)).body['code']).toBe('public_key_in_use');
  });

  it('restarts, retries, late requests, a clock jump and a command do not count as a second device', async () => {
    await idle([firstRun], 5 * minute);
    // A request that the first program signed before it was ended arrives after the second one has begun.
    const lateRequest = door.signed('GET', `${statusPath}?run=${firstRun}`, undefined, {
      time: String(Math.ceil(world.now() / 1_000) + 60),
    });
    await status(secondRun);
    world.advance(2 * minute);
    expect((await fetch(lateRequest.url, lateRequest.init)).status).toBe(200);
    // `clockproof-terminal status` and `doctor` name no program.
    await idle([secondRun, undefined], 5 * minute);
    for (let start = 0; start < 8; start += 1) {
      await status(`restarted-program-${start}`);
      expect(await presentCard(`restarted-program-${start}`)).toBe('answered');
      await presentCard(`restarted-program-${start}`);
      world.advance(5 * second);
    }
    await idle(['restarted-program-7'], 5 * minute);
    // Its own clock is a minute off: the signature still counts, and nothing else depends on it.
    for (const offset of [-59, 59, 0]) {
      const time = String(Math.floor(world.now() / 1_000) + offset);
      await door.send('GET', `${statusPath}?run=restarted-program-7`, undefined, { time });
    }
    // Cut off for two days, it goes on where it was.
    world.advance(48 * 60 * minute);
    await idle(['restarted-program-7'], 5 * minute);
    expect(await isStopped()).toBe(false);
    expect(await presentCard('restarted-program-7')).toBe('answered');
    expect(await countAuditEntries()).toBe(0);
  });
});

describe.each(oneDialect)('programs of entrance PCs, on %s', (dialect) => {
  let world: World;
  let folder: string;
  const programs: { readonly stop: AbortController; readonly end: Promise<void> }[] = [];
  const sleepers = new Set<() => void>();
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'copied-disk-'));
  });
  afterEach(async () => {
    for (const { stop, end } of programs.splice(0)) {
      stop.abort();
      await end;
    }
    await rm(folder, { recursive: true });
  });
  afterAll(() => world.close());

  const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
  /** Starts the program with this state, and waits for its first question. */
  const start = async (state: string, seed: string) => {
    const lines: string[] = [];
    let answers = 0;
    const countingFetch: Fetch = async (url, init) => {
      const response = await fetch(url, init);
      answers += 1;
      return response as Awaited<ReturnType<Fetch>>;
    };
    const config = readRunConfig({
      SERVICE_URL: world.url,
      STATE_DIR: state,
      READER: 'simulated',
      SIMULATOR_PORT: '0',
      CARDS_DIR: join(state, 'cards'),
    });
    const stop = new AbortController();
    const sleep = (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          sleepers.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        sleepers.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
      });
    const end = runAgent(
      config,
      {
        fetch: countingFetch,
        now: world.now,
        elapsed: world.now,
        uptime: world.now,
        sleep,
        random: seededBytes(seed),
        device: 'a test',
        print: (line) => void lines.push(line),
      },
      stop.signal,
    );
    const program = { stop, end, lines, answers: () => answers };
    programs.push(program);
    while (program.answers() === 0) await pause();
    return program;
  };
  type Program = Awaited<ReturnType<typeof start>>;
  /** So long passes in fifteen seconds each, after each of which every program has asked again. */
  const pass = async (agents: readonly Program[], time: number) => {
    for (const end = world.now() + time; world.now() < end; ) {
      const answersBefore = agents.map((program) => program.answers());
      while (sleepers.size < agents.length) await pause();
      world.advance(15 * second);
      for (const wake of [...sleepers]) wake();
      while (agents.some((program, index) => program.answers() === answersBefore[index])) await pause();
    }
  };
  /** An entrance PC, paired and confirmed; its state is in the folder. */
  const pairPc = async (name: string) => {
    const state = join(folder, name);
    const { terminalId, code } = await addDoor(world, { name: `Gate of ${name} ${dialect}` });
    const key = await loadOrCreateKey(state, seededBytes(`${name} ${dialect}`));
    expect((await pair(world, code, Buffer.from(key.publicKey).toString('base64'))).status).toBe(201);
    await world.write((write) => confirmTerminal(write, terminalId, world.nord, key.fingerprint));
    await storeRegistration(state, { terminalId, serviceUrl: `${world.url}/` });
    return state;
  };

  it('programs with a copied disk both say that another device uses the key', async () => {
    const original = await pairPc('original');
    await cp(original, join(folder, 'copy'), { recursive: true });
    const pcs = [await start(original, 'one'), await start(join(folder, 'copy'), 'two')];
    await pass(pcs, 4 * minute);
    for (const { lines } of pcs) expect(lines.at(-1)).toMatch(/: stopped, another device uses the key/);
  });

  it('programs in a restart loop stay in service', async () => {
    const state = await pairPc('restarted');
    for (const seed of ['one', 'two', 'three']) {
      const program = await start(state, seed);
      await pass([program], 4 * minute);
      expect(program.lines.at(-1)).toMatch(/: hold your badge here$/);
      program.stop.abort();
      await program.end;
    }
  });
});
