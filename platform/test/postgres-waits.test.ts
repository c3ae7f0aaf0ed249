/** What waits in PostgreSQL, and on the way to it: no one for a row or a connection that somebody else needs. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Batch } from '../src/database/batch.js';
import type { Database } from '../src/database/database.js';
import { openPostgres, type PostgresOptions } from '../src/database/postgres.js';
import { openPostgresSignals } from '../src/database/postgres-signals.js';
import { createTestDatabase, dialects, type TestDatabase } from '../src/testing/databases.js';

/** Takes connections to a server and passes everything on, until it has to pass on nothing. */
async function startProxy(dsn: string) {
  // The server of the tests listens on both; a path to its socket stands where the name of a host does.
  const { hostname, port } = new URL(dsn);
  const sockets = new Set<Socket>();
  let silent = false;
  const server: Server = createServer((near) => {
    const far = connect(Number(port), hostname.startsWith('%2F') ? '127.0.0.1' : hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (silent || to.write(bytes)));
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(dsn);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as { port: number }).port);
  return {
    dsn: through.href,
    silence(value: boolean) {
      silent = value;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const onPostgres = dialects.includes('postgres') ? describe : describe.skip;
onPostgres('on postgres', () => {
  let home: TestDatabase;
  const opened: Database[] = [];
  const open = async (options: PostgresOptions = {}, dsn = home.settings.dsn) => {
    const db = await openPostgres(dsn, options);
    opened.push(db);
    return db;
  };
  let other: Database;
  beforeEach(async () => {
    home = await createTestDatabase('postgres');
    other = await open({ poolSize: 2 });
    await other.write(async (tx) => {
      await tx.run('CREATE TABLE clocks (person BIGINT PRIMARY KEY, revision BIGINT NOT NULL)');
      await tx.run('INSERT INTO clocks SELECT n, 0 FROM generate_series(1, 9) AS n');
    });
  });
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close();
    await home.drop();
  });

  const clockLock = 'SELECT * FROM clocks WHERE person = :person FOR UPDATE';
  /** Another process locks the clock of a person. @returns lets it go */
  async function hold(person: number): Promise<() => Promise<void>> {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const done = other.write(async (tx) => {
      await tx.get(clockLock, { person });
      locked();
      await held;
      await tx.run('UPDATE clocks SET revision = revision + 10 WHERE person = :person', { person });
    });
    await isLocked;
    return () => {
      release();
      return done;
    };
  }
  const waiters = async () =>
    (await other.get<{ n: number }>(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    ))!.n;
  const turn = (person: number, revision = 0): Batch => ({
    locks: [
      {
        name: 'clock',
        table: 'clocks',
        where: 'person = :person AND revision = :revision',
        parameters: { person, revision },
        read: ['revision'],
      },
    ],
    steps: [{ name: 'turned', update: 'clocks', set: { revision: revision + 1 }, where: { person } }],
  });

  it('a batch that waits for a locked row holds up no other batch', async () => {
    const db = await open({ poolSize: 4 });
    const release = await hold(1);
    const waiting = Array.from({ length: 5 }, () => db.batch(turn(1)));
    while ((await waiters()) === 0);
    for (let revision = 0; revision < 20; revision++) expect(await db.batch(turn(2, revision))).toBeDefined();
    // Those who wait take two connections, however many they are.
    expect(await waiters()).toBeLessThanOrEqual(2);
    await release();
    // The row is not as it was read.
    expect(await Promise.all(waiting)).toEqual(Array(5).fill(undefined));
    expect(await db.batch(turn(1, 10))).toBeDefined();
  });

  it('a crowd that wants one row leaves connections to others, and each gets its turn', async () => {
    const db = await open({ poolSize: 4, poolWaitMilliseconds: 60_000 });
    const release = await hold(1);
    let tries = 0;
    const add = () =>
      db.write(async (tx) => {
        tries++;
        const { revision } = (await tx.get<{ revision: number }>(clockLock, { person: 1 }))!;
        await tx.run('UPDATE clocks SET revision = :next WHERE person = 1', { next: revision + 1 });
      });
    const crowd = Promise.all(Array.from({ length: 200 }, add));
    while ((await waiters()) < 2 || tries < 200);
    expect(await waiters()).toBe(2);
    await db.write((tx) => tx.run('UPDATE clocks SET revision = 7 WHERE person = 2'));
    await release();
    await crowd;
    expect(await db.get('SELECT revision FROM clocks WHERE person = 1')).toEqual({ revision: 210 });
  });

  it('an effect that hides the refusal of a row it did not get commits nothing', async () => {
    const db = await open({ poolSize: 4 });
    const release = await hold(1);
    let runs = 0;
    const writes = Array.from({ length: 3 }, () =>
      db.write(async (tx) => {
        runs++;
        const row = await tx.get(clockLock, { person: 1 }).catch(() => undefined);
        await tx
          .run('UPDATE clocks SET revision = revision + :got WHERE person = 3', { got: row === undefined ? 100 : 1 })
          .catch(() => undefined);
      }),
    );
    while ((await waiters()) < 2 || runs < 3);
    await release();
    await Promise.all(writes);
    expect(await db.get('SELECT revision FROM clocks WHERE person = 3')).toEqual({ revision: 3 });
  });

  it('a connection that answers nothing is given up, for reads, writes and batches, and others take its place', async () => {
    const proxy = await startProxy(home.settings.dsn);
    const db = await open({ poolSize: 3, answerMilliseconds: 300, poolWaitMilliseconds: 300 }, proxy.dsn);
    await db.batch(turn(1));
    await Promise.all([db.get('SELECT 1 AS one'), db.get('SELECT 1 AS one')]);
    let committing = false;
    const cut = db.write(async (tx) => {
      await tx.run('UPDATE clocks SET revision = 5 WHERE person = 3');
      proxy.silence(true);
      committing = true;
    });
    while (!committing) await other.get('SELECT 1 AS one');
    const gone = { name: 'DatabaseUnavailable' };
    const asked = [cut, db.get('SELECT 1 AS one'), db.batch(turn(2)), db.write((tx) => tx.get('SELECT 1 AS one'))];
    for (const outcome of await Promise.allSettled(asked)) expect(outcome).toMatchObject({ reason: gone });
    expect(await db.ping()).toBe(false);
    proxy.silence(false);
    while (!(await db.ping()));
    expect(await db.batch(turn(4))).toBeDefined();
    await db.close();
    opened.splice(opened.indexOf(db), 1);
    await proxy.close();
  });

  it('signals come through a new connection where the one before is cut off silently', async () => {
    const proxy = await startProxy(home.settings.dsn);
    let connections = 0;
    const texts: string[] = [];
    const signals = openPostgresSignals(
      proxy.dsn,
      { received: (text) => void texts.push(text), connected: () => void connections++ },
      { every: 50, answer: 200 },
    );
    while (connections < 1) await other.get('SELECT 1 AS one');
    proxy.silence(true);
    await signals.send('lost');
    await new Promise((resolve) => setTimeout(resolve, 10));
    proxy.silence(false);
    while (connections < 2) await other.get('SELECT 1 AS one');
    while (!texts.includes('there')) {
      await signals.send('there');
      await other.get('SELECT 1 AS one');
    }
    await signals.close();
    await proxy.close();
  });
});
