/** The service as a process: how it starts, stops, and what is left when it is killed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { stop } from '@clockproof/platform/deadlines';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { openPostgresProxy, type PostgresProxy } from '@clockproof/platform/testing/postgres-proxy';
import { afterAll, describe, expect, it } from '@jest/globals';
import { switchPeopleAccess } from '../src/access/integrations/people-access.js';
import { recordExtension } from '../src/extensions/extensions.js';
import { recordCompany, recordPerson } from '../src/people/people.js';
import { verifyAudit } from '../src/store/audit/verify.js';
import { migrations } from '../src/store/migrations/migrations.js';
import { createStore } from '../src/store/write.js';
import { seededBytes } from './world.js';
import { berlin } from './zones.js';

// The built one: what starts in production. `make test` builds before it tests.
const main = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
const bin = fileURLToPath(new URL('../bin/clockproof.js', import.meta.url));
const system = { kind: 'system' } as const;
const homes: TestDatabase[] = [];
afterAll(async () => {
  for (const home of homes) await home.drop();
});

function launch(env: Record<string, string>, words: readonly string[] = []) {
  const child = spawn(process.execPath, [main, ...words], {
    env: { PATH: process.env['PATH'] ?? '', LISTEN_ADDR: '127.0.0.1:0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const url = /"url":"([^"]+)".*"listening"/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    }
    void exit.then(([code]) => reject(new Error(`ended with ${String(code)}: ${lines.join('\n')}`)));
  });
  listening.catch(() => undefined);
  return { child, lines, exit, listening };
}

describe('the process', () => {
  it('the process names every wrong variable and ends with 78', async () => {
    const { exit, lines } = launch({
      DB_DRIVER: 'oracle',
      RATE_API_PER_MINUTE: 'many',
      TRUSTED_PROXIES: '10.0.0.0/33',
      LISTEN_ADDR: 'x',
    });
    expect((await exit)[0]).toBe(78);
    expect(
      lines
        .filter((line) => line.startsWith('configuration: '))
        .map((line) => line.split(' ')[1])
        .sort(),
    ).toEqual(['DB_DRIVER', 'LISTEN_ADDR', 'RATE_API_PER_MINUTE', 'TRUSTED_PROXIES']);
  });

  it('the process reports a port in use', async () => {
    const home = await createTestDatabase('sqlite');
    homes.push(home);
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const { exit, lines } = launch({ DB_DSN: home.settings.dsn, LISTEN_ADDR: `127.0.0.1:${port}` });
    expect((await exit)[0]).toBe(1);
    expect(lines.join('\n')).toContain(`port ${port}`);
    blocker.close();
  });

  it.each([
    ['a folder', () => ({ DB_DSN: tmpdir() })],
    ['a server that does not answer', () => ({ DB_DRIVER: 'postgres', DB_DSN: 'postgres://nobody@127.0.0.1:1/none' })],
  ] as const)('the process says in one sentence that the database is %s', async (_, env) => {
    const { exit, lines } = launch(env());
    expect((await exit)[0]).toBe(1);
    expect(lines).toEqual([expect.stringContaining('DB_DSN: ')]);
  });

  it.each([
    ['--help', 0, /^clockproof 1\..*\n {2}serve .*the default/],
    ['--version', 0, /^\d+\.\d+\.\d+$/],
    ['audit verify --help', 0, /^usage: audit verify/],
    ['dance', 64, /^there is no command dance\n\nclockproof 1\./],
    ['audti verify', 64, /^there is no command audti verify\n/],
    ['audit', 64, /^after audit comes one of: verify, head\n/],
    ['serve now', 64, /^serve: takes no arguments/],
    ['backup', 64, /^backup: FILE is missing\nusage: backup FILE$/],
    ['restore one two', 64, /^restore: too many arguments/],
    ['admin invite', 64, /^admin invite: EMAIL is missing/],
    ['audit verify --hed 1', 64, /^audit verify: Unknown option '--hed'/],
  ])('the process command %s ends with %i and touches no database', async (words, code, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'clockproof-words-'));
    const { exit, lines } = launch({ DB_DSN: join(folder, 'service.sqlite') }, words.split(' '));
    expect((await exit)[0]).toBe(code);
    expect(lines.join('\n')).toMatch(text);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it.each([60, 100])('the process says in one sentence that %i files are too few', async (files) => {
    const command = `ulimit -n ${files}; exec "$0" "$1"`;
    const child = spawn('sh', ['-c', command, process.execPath, bin], { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
    expect(output.match(/\n/g)).toHaveLength(1);
    expect(output).toContain('too many files are open: raise the limit');
  });

  it('a second process on an SQLite file is refused', async () => {
    const home = await createTestDatabase('sqlite');
    homes.push(home);
    const first = launch({ DB_DSN: home.settings.dsn });
    await first.listening;
    const second = launch({ DB_DSN: home.settings.dsn });
    expect((await second.exit)[0]).toBe(1);
    expect(second.lines).toEqual([expect.stringContaining('DB_DSN: another process is serving from')]);
    first.child.kill('SIGKILL');
    await first.exit;
    const third = launch({ DB_DSN: home.settings.dsn });
    await third.listening;
    third.child.kill('SIGTERM');
    expect(await third.exit).toEqual([0, null]);
  });

  it.each(dialects)('the process ends with 78 where DATA_KEY is missing or another one (%s)', async (dialect) => {
    const home = await createTestDatabase(dialect);
    homes.push(home);
    const database = { DB_DRIVER: home.settings.driver, DB_DSN: home.settings.dsn };
    const [key, otherKey] = ['one', 'other'].map((name) => Buffer.from(seededBytes(name)(32)).toString('base64')) as [
      string,
      string,
    ];
    const start = async (env: Record<string, string>) => {
      const { child, exit, listening } = launch({ ...database, ...env });
      await listening;
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
    };
    await start({});
    await start({ DATA_KEY: key });
    for (const [env, reason] of [
      [{}, 'DATA_KEY is not set'],
      [{ DATA_KEY: otherKey }, 'DATA_KEY is not the key'],
    ] as const) {
      const { exit, lines } = launch({ ...database, ...env });
      expect((await exit)[0]).toBe(78);
      expect(lines).toEqual([expect.stringContaining(reason)]);
    }
    await start({ DATA_KEY: key });
  });

  it('the process starts with another DATA_KEY once the first one is declared lost, and not before', async () => {
    const home = await createTestDatabase('sqlite');
    homes.push(home);
    const settings = (seed: string) => ({
      DB_DSN: home.settings.dsn,
      DATA_KEY: Buffer.from(seededBytes(seed)(32)).toString('base64'),
    });
    const [lostSettings, newSettings] = [settings('lost'), settings('other')];
    const firstRun = launch(lostSettings);
    await firstRun.listening;
    const words = ['data-key', 'replace', '--lost'];
    const secondRun = launch(newSettings, words);
    expect((await secondRun.exit)[0]).toBe(1);
    expect(secondRun.lines).toEqual([expect.stringContaining('another process is serving from')]);
    firstRun.child.kill('SIGTERM');
    await firstRun.exit;
    const run = async (env: Record<string, string>, more: readonly string[] = words) => {
      const { exit, lines } = launch(env, more);
      return [(await exit)[0], lines.join('\n')];
    };
    expect(await run(newSettings, ['data-key', 'replace'])).toEqual([
      64,
      expect.stringMatching(/^data-key replace: add --lost/),
    ]);
    expect(await run({ DB_DSN: home.settings.dsn })).toEqual([78, expect.stringContaining('DATA_KEY is not set')]);
    expect(await run(lostSettings)).toEqual([1, expect.stringContaining('nothing is lost')]);
    expect(await run(newSettings, [...words, '--preview'])).toEqual([
      0,
      expect.stringMatching(/^DATA_KEY would be replaced/),
    ]);
    expect((await launch(newSettings).exit)[0]).toBe(78);
    expect(await run(newSettings)).toEqual([0, expect.stringMatching(/^DATA_KEY is replaced/)]);
    expect(await run(newSettings, ['audit', 'verify'])).toEqual([0, expect.stringContaining('was lost and replaced')]);
    const restart = launch(newSettings);
    await restart.listening;
    restart.child.kill('SIGTERM');
    expect(await restart.exit).toEqual([0, null]);
  });

  it('the process prints a setup link for an empty installation, and stops on SIGTERM with 0', async () => {
    const home = await createTestDatabase('sqlite');
    homes.push(home);
    const { child, exit, lines, listening } = launch({ DB_DSN: home.settings.dsn });
    const url = await listening;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(lines.filter((line) => /^ {2}http:\S+\/set-up#stp_[0-9A-Za-z]{32}$/.test(line))).toHaveLength(1);
  });
});

describe('a process on an SQLite file', () => {
  async function startOn(file: string) {
    const env = { DB_DSN: file, DATA_KEY: Buffer.from(seededBytes('file')(32)).toString('base64') };
    const service = launch(env);
    await service.listening;
    // Written as soon as the first entry of the log is sealed.
    while (!existsSync(`${file}-position`)) await setTimeout(20);
    const run = async (...words: string[]) => {
      const { exit, lines } = launch(env, words);
      return [(await exit)[0], lines.join('\n')] as const;
    };
    return { ...service, run };
  }

  it('a moved SQLite file ends the process with one sentence, and loses nothing when put back', async () => {
    const home = await createTestDatabase('sqlite');
    homes.push(home);
    const file = home.settings.dsn;
    const { exit, lines } = await startOn(file);
    renameSync(file, `${file}.moved`);
    expect((await exit)[0]).toBe(1);
    expect(lines.filter((line) => line.includes('was moved, replaced or removed'))).toHaveLength(1);
    const refusedStart = launch({ DB_DSN: file });
    expect((await refusedStart.exit)[0]).toBe(1);
    expect(refusedStart.lines).toEqual([expect.stringContaining('-wal has its newest writes')]);
    renameSync(`${file}.moved`, file);
    const { child, exit: end, lines: laterLines } = await startOn(file);
    expect(laterLines.join('\n')).not.toContain('set back');
    child.kill('SIGTERM');
    expect(await end).toEqual([0, null]);
  });

  it('a process says that the SQLite file lost its -wal: at the start, in doctor and in audit verify', async () => {
    const home = await createTestDatabase('sqlite');
    homes.push(home);
    const db = await openDatabase(home.settings);
    await addWorkers(db, 1);
    await db.close();
    const file = home.settings.dsn;
    const { child, exit, run } = await startOn(file);
    child.kill('SIGKILL');
    await exit;
    rmSync(`${file}-wal`);
    const message = expect.stringContaining('the database file was set back');
    expect(await run('audit', 'verify')).toEqual([1, message]);
    expect(await run('doctor')).toEqual([
      1,
      expect.stringMatching(/^FAIL {2}history: the database file was set back/m),
    ]);
    const restart = await startOn(file);
    expect(restart.lines).toContainEqual(message);
    restart.child.kill('SIGTERM');
    expect(await restart.exit).toEqual([0, null]);
    const lossMessage = /the file was set back: changes after entry \d+ of \S+Z were lost/;
    expect(await run('audit', 'verify')).toEqual([0, expect.stringMatching(lossMessage)]);
    expect((await run('doctor'))[1]).toMatch(lossMessage);
  });
});

/** People of a company, and a key that stamps for them. */
async function addWorkers(db: Database, count: number) {
  await db.migrate(migrations);
  return createStore(db).write({ actor: system, at: Date.now() }, async (write) => {
    const companyId = await recordCompany(write, { name: 'Nord', timeZone: berlin, country: 'DE' });
    const people: number[] = [];
    for (let index = 0; index < count; index++) {
      const name = { firstName: 'P', lastName: String(index) };
      people.push(await recordPerson(write, { companyId, ...name, role: 'employee', language: 'en' }));
    }
    await switchPeopleAccess(write, { writes: true, links: false, terminals: false });
    const { key } = await recordExtension(
      write,
      { name: 'X', mode: 'api', acting: 'everyone', companyId, scopes: ['write:clock'] },
      seededBytes('process'),
    );
    return { people, key };
  });
}

/** @returns the status of the answer */
async function stamp(url: string, key: string, person: number, verb: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/clock/${verb}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: person }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Everyone clocks in and out until the process is gone; `signal` comes after so many answers. @returns how many stamps were acknowledged */
async function stampUntil(
  signal: 'SIGKILL' | 'SIGTERM',
  { child, listening }: ReturnType<typeof launch>,
  { people, key, answers }: { readonly people: readonly number[]; readonly key: string; readonly answers: number },
): Promise<number> {
  const url = await listening;
  let answerCount = 0;
  let acknowledgedCount = 0;
  await Promise.all(
    people.map(async (person) => {
      for (let verb = 'in'; ; verb = verb === 'in' ? 'out' : 'in') {
        try {
          const status = await stamp(url, key, person, verb);
          expect([200, 409]).toContain(status);
          if (status === 200) acknowledgedCount++;
          if (++answerCount === answers) child.kill(signal);
        } catch (error) {
          if (answerCount >= answers) return;
          throw error;
        }
      }
    }),
  );
  return acknowledgedCount;
}

const countOf = async (db: Database, sql: string) => (await db.get<{ n: number }>(sql))!.n;

describe.each(dialects)('a stopped process on %s', (dialect) => {
  if (dialect === 'postgres')
    it.each([
      ['refuses connections', (proxy: PostgresProxy) => proxy.close()],
      ['answers nothing', async (proxy: PostgresProxy) => proxy.silence(true)],
    ])(
      'a stopped process ends within its deadline when PostgreSQL %s permanently',
      async (_, lose) => {
        const home = await createTestDatabase(dialect);
        homes.push(home);
        const db = await openDatabase(home.settings);
        const { people, key } = await addWorkers(db, 4);
        await db.close();
        const proxy = await openPostgresProxy(home.settings.dsn);
        const { child, exit, lines, listening } = launch({ DB_DRIVER: 'postgres', DB_DSN: proxy.dsn });
        const url = await listening;
        expect(await stamp(url, key, people[0]!, 'in')).toBe(200);
        // Each stamp has a connection: one that the process has not accepted yet is reset when it stops listening.
        await Promise.all(people.map(async () => (await fetch(`${url}/healthz`)).arrayBuffer()));
        await lose(proxy);
        const pendingStamps = people.map((person) => stamp(url, key, person, 'out'));
        await fetch(`${url}/healthz`);
        child.kill('SIGTERM');
        for (const answer of await Promise.allSettled(pendingStamps)) expect(answer).toMatchObject({ value: 503 });
        const [code] = await exit;
        expect(lines.some((line) => /"cut":\[".*"stopped before everything was finished"/.test(line))).toBe(code === 1);
        expect([0, 1]).toContain(code);
        await proxy.close();
      },
      stop + 30_000,
    );

  it('a stopped process answers every recorded stamp', async () => {
    const home = await createTestDatabase(dialect);
    homes.push(home);
    const db = await openDatabase(home.settings);
    const workers = await addWorkers(db, 24);
    const env = { DB_DRIVER: home.settings.driver, DB_DSN: home.settings.dsn, RATE_API_PER_MINUTE: '1000000' };
    let acknowledgedCount = 0;
    for (const answers of [40, 90, 140]) {
      const process = launch(env);
      acknowledgedCount += await stampUntil('SIGTERM', process, { ...workers, answers });
      expect(await process.exit).toEqual([0, null]);
    }
    expect(await countOf(db, "SELECT count(*) AS n FROM events WHERE type LIKE 'clock.%'")).toBe(acknowledgedCount);
    await db.close();
  });
});

describe.each(dialects)('a killed process on %s', (dialect) => {
  it('a killed process has lost no acknowledged write and left nothing half done', async () => {
    const home = await createTestDatabase(dialect);
    homes.push(home);
    const db = await openDatabase(home.settings);
    const workers = await addWorkers(db, 8);
    const env = { DB_DRIVER: home.settings.driver, DB_DSN: home.settings.dsn, RATE_API_PER_MINUTE: '1000000' };
    let acknowledgedCount = 0;
    for (const answers of [11, 24, 37]) {
      const process = launch(env);
      acknowledgedCount += await stampUntil('SIGKILL', process, { ...workers, answers });
      await process.exit;
    }
    const count = (sql: string) => countOf(db, sql);
    const events = await count("SELECT count(*) AS n FROM events WHERE type LIKE 'clock.%'");
    expect(events).toBeGreaterThanOrEqual(acknowledgedCount);
    // At most the requests under way at each kill were stored and never answered.
    expect(events).toBeLessThanOrEqual(acknowledgedCount + 3 * workers.people.length);
    expect(await count("SELECT count(*) AS n FROM audit_entries WHERE action LIKE 'clock.%'")).toBe(events);
    expect(
      (await count('SELECT count(*) AS n FROM time_entries')) +
        (await count("SELECT count(*) AS n FROM time_entries WHERE status = 'recorded'")),
    ).toBe(events);
    expect(
      await count(
        "SELECT count(*) AS n FROM clock_states s JOIN time_entries e ON e.person_id = s.person_id AND e.status = 'open' WHERE s.state <> 'in'",
      ),
    ).toBe(0);
    expect(await verifyAudit(db)).toMatchObject({ intact: true });
    await db.close();
  });
});
