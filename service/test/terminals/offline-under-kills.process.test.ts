/**
 * Stamps without the service while SIGKILL hits the agent as it records and uploads, and the service as it takes them:
 * none is lost, none counts twice. `make soak NAME=door` runs it with 10,000 stamps and 100 kills, every second one of the
 * agent as it asks for a sync of its journal (needs cc).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DialectName, dialects } from '@clockproof/platform/testing/databases';
import { openFaults } from '@clockproof/platform/testing/faults';
import { writeCardFile } from '@clockproof/terminal-agent/simulator/card-file';
import { loadOrCreateKey } from '@clockproof/terminal-agent/src/key';
import { storeRegistration } from '@clockproof/terminal-agent/src/registration';
import { afterEach, describe, expect, it } from '@jest/globals';
import { confirmTerminal } from '../../src/terminals/pairing.js';
import { addDoor, issueBadge, openDoor, pair } from '../door.js';
import { createWorld, seededBytes } from '../world.js';

const stamps = Number(process.env['STAMPS'] ?? 240);
const kills = Number(process.env['KILLS'] ?? 6);
const seed = process.env['KILL_SEED'] ?? 'kills';
const isWholeRun = process.env['STAMPS'] !== undefined;
/** So many badges that none makes the same stamp twice in one second, which would be one stamp. */
const badges = isWholeRun ? 60 : 30;
const actions = ['in', 'break_start', 'break_end', 'out'] as const;

// The built ones. `make test` builds before it tests.
const builtFile = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close();
});

interface Program {
  /** Resolves with the first line that fits. */
  line(form: RegExp): Promise<RegExpExecArray>;
  kill(): Promise<void>;
}

function start(script: string, args: readonly string[], env: Readonly<Record<string, string>>): Program {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(line);
    for (const look of listeners) look();
  });
  const exit = once(child, 'exit');
  return {
    line: (form) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const result = lines.map((line) => form.exec(line)).find((match) => match !== null);
          if (result) resolve(result);
        };
        listeners.add(look);
        look();
        void exit.then(() => reject(new Error(`${script} ended: ${lines.slice(-5).join('\n')}`)));
      }),
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

// The short run is about the agent and the order of things; the whole one about both databases too.
const testedDialects: readonly DialectName[] = isWholeRun ? dialects : ['sqlite'];

describe.each(testedDialects)('offline stamps while processes are killed, on %s', (dialect) => {
  it(
    'offline stamps are each accepted once while processes are killed',
    async () => {
      const bytes = seededBytes(seed);
      const random = () => Buffer.from(bytes(4)).readUInt32BE() / 2 ** 32;
      const world = await createWorld(dialect, { unchecked: true });
      cleanups.push(() => world.close());
      const folder = await mkdtemp(join(tmpdir(), 'offline-kills-'));
      cleanups.push(() => rm(folder, { recursive: true }));
      const servicePort = await freePort();
      const serviceUrl = new URL(`http://127.0.0.1:${servicePort}/`);

      // ---- a terminal whose key lies in the folder, and badges
      world.set(Date.now());
      const key = await loadOrCreateKey(folder, bytes);
      const { terminalId, code } = await addDoor(world);
      const pairing = await pair(world, code, Buffer.from(key.publicKey).toString('base64'));
      await world.write((write) =>
        confirmTerminal(write, terminalId, world.nord, pairing.body['fingerprint'] as string),
      );
      await storeRegistration(folder, { terminalId, serviceUrl: serviceUrl.href });
      const issuingDoor = await openDoor(world, 'issuing');
      const people: number[] = [];
      for (let index = 0; index < badges; index += 1) {
        const person = await world.hire({ firstName: 'P', lastName: String(index), employmentStart: '2020-01-01' });
        people.push(person);
        const card = await issueBadge(
          world,
          issuingDoor,
          person,
          `04${(index + 1).toString(16).padStart(12, '0')}`,
          'ntag424',
        );
        await writeFile(join(folder, `p${index}.json`), writeCardFile(card));
      }

      // ---- the two processes
      const faults = isWholeRun ? openFaults() : undefined;
      cleanups.push(async () => faults?.close());
      let killCount = 0;
      let killsAtSync = 0;
      let service: Program | undefined;
      let agent: Program;
      let control = '';
      const startService = async () => {
        service = start(builtFile('service/dist/src/main.js'), [], {
          ...world.settings,
          LISTEN_ADDR: `127.0.0.1:${servicePort}`,
        });
        await service.line(/"msg":"listening"/);
      };
      const stopService = async () => {
        await service?.kill();
        service = undefined;
      };
      cleanups.push(stopService);
      const startAgent = async () => {
        agent = start(builtFile('terminal-agent/dist/src/main.js'), ['run'], {
          SERVICE_URL: serviceUrl.href,
          STATE_DIR: folder,
          READER: 'simulated',
          CARDS_DIR: folder,
          SIMULATOR_PORT: '0',
          SCREEN_PORT: '0',
          ...faults?.env,
        });
        control = (await agent.line(/^Simulator: (.*)$/))[1]!;
      };
      cleanups.push(() => agent.kill());
      const restartAgent = async () => {
        await agent.kill();
        killCount += 1;
        await startAgent();
      };
      /** It was to be killed at a sync until `end`; otherwise it is killed then. */
      const restartAtSync = async (end: Promise<unknown>) => {
        await end;
        if (faults!.syncsLeft() === 0) killsAtSync += 1;
        faults!.killAtSync(0);
        await restartAgent();
      };
      const present = async (card: string, action: string): Promise<string | undefined> => {
        const answer = await fetch(control, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ present: card, action, wait: true }),
        }).catch(() => undefined);
        return ((await answer?.json().catch(() => undefined)) as { outcome?: string } | undefined)?.outcome;
      };
      const journalLength = async (): Promise<number> => {
        const name = (await readdir(join(folder, 'offline')).catch(() => [])).find((file) => file.endsWith('.journal'));
        if (name === undefined) return 0;
        const lines = (await readFile(join(folder, 'offline', name), 'utf8')).split('\n').slice(0, -1);
        return lines.filter((line) => line.includes('"number"')).length;
      };
      const countStamps = async () =>
        Number((await world.db.get<{ count: number }>('SELECT count(*) AS count FROM offline_stamps'))!.count);

      await startService();
      await startAgent();
      // The agent has to hear once that stamps may be recorded here, and the key to seal them to.
      await agent!.line(/hold your badge here/);

      // ---- rounds: the service is gone, people stamp, the service comes back
      const confirmedStamps = new Map<string, number>();
      const attemptedStamps = new Map<string, number>();
      const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
      const rounds = Math.max(1, Math.ceil(kills / 3));
      let stampIndex = 0;
      for (let round = 0; round < rounds; round += 1) {
        await stopService();
        const roundEnd = Math.round((stamps * (round + 1)) / rounds);
        const victim = stampIndex + Math.floor((roundEnd - stampIndex) * random());
        while (stampIndex < roundEnd) {
          const person = stampIndex % badges;
          const action = actions[Math.floor(stampIndex / badges) % actions.length]!;
          const name = `${people[person]} ${action}`;
          count(attemptedStamps, name);
          const isAtSync = stampIndex === victim && isWholeRun && round % 2 === 1;
          if (isAtSync) faults!.killAtSync(1);
          const outcome = present(`p${person}`, action);
          if (isAtSync) await restartAtSync(outcome);
          else if (stampIndex === victim) {
            await pause(12 * random());
            await restartAgent();
          }
          const answer = await outcome;
          if (answer === 'recorded_offline') count(confirmedStamps, name);
          else if (stampIndex !== victim) throw new Error(`the door says ${answer} at stamp ${stampIndex}`);
          stampIndex += 1;
        }
        // One kill each while they are taken: of the service, of the agent.
        await startService();
        const stampsBefore = await countStamps();
        while ((await countStamps()) === stampsBefore && (await journalLength()) > 0) await pause(2);
        await pause(20 * random());
        await stopService();
        killCount += 1;
        await startService();
        if (isWholeRun && round % 2 === 1) {
          faults!.killAtSync(1 + Math.floor(4 * random()));
          const waitForSync = async () => {
            while (faults!.syncsLeft() > 0 && (await journalLength()) > 0) await pause(2);
          };
          await restartAtSync(waitForSync());
        } else {
          await pause(40 * random());
          await restartAgent();
        }
        while ((await journalLength()) > 0) await pause(20);
      }

      // ---- what came of it
      const rows = await world.db.all<{ number: number; result: string; content_hash: string }>(
        'SELECT number, result, content_hash FROM offline_stamps ORDER BY number',
      );
      expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, index) => index + 1));
      expect(rows.filter(({ result }) => result !== 'accepted')).toEqual([]);
      expect(new Set(rows.map((row) => row.content_hash)).size).toBe(rows.length);
      const recordedStamps = new Map<string, number>();
      const entries = await world.db.all<{ subject: string; details: string }>(
        "SELECT subject, details FROM audit_entries WHERE action = 'offline_stamp.recorded'",
      );
      for (const { subject, details } of entries)
        count(
          recordedStamps,
          `${subject.replace('person ', '')} ${(JSON.parse(details) as { action: string }).action}`,
        );
      expect(entries).toHaveLength(rows.length);
      expect(await world.db.all("SELECT action FROM audit_entries WHERE action = 'offline_stamp.missing'")).toEqual([]);
      for (const [name, tries] of attemptedStamps) {
        expect([name, recordedStamps.get(name) ?? 0]).toEqual([name, expect.any(Number)]);
        expect(recordedStamps.get(name) ?? 0).toBeGreaterThanOrEqual(confirmedStamps.get(name) ?? 0);
        expect(recordedStamps.get(name) ?? 0).toBeLessThanOrEqual(tries);
      }
      const sum = (counts: ReadonlyMap<string, number>) =>
        [...counts.values()].reduce((total, value) => total + value, 0);
      expect(sum(recordedStamps)).toBeGreaterThanOrEqual(sum(confirmedStamps));
      expect(sum(recordedStamps)).toBeLessThanOrEqual(sum(attemptedStamps));
      expect(killCount).toBeGreaterThanOrEqual(kills);
      if (isWholeRun) {
        expect(killsAtSync).toBeGreaterThan(0);
        console.log(
          `${dialect}: ${sum(attemptedStamps)} stamps, ${sum(confirmedStamps)} confirmed at the door, ${rows.length} taken, ${killCount} kills, ${killsAtSync} of them at a sync`,
        );
      }
    },
    60_000 + kills * 20_000 + stamps * 100,
  );
});
