/** Connections to PostgreSQL that go silent. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database, Transaction } from '../src/database/database.js';
import { openPostgres, type PostgresOptions } from '../src/database/postgres.js';
import { openPostgresSignals } from '../src/database/postgres-signals.js';
import type { Change } from '../src/database/table.js';
import { createTestDatabase, dialects, type TestDatabase } from '../src/testing/databases.js';
import { openPostgresProxy } from '../src/testing/postgres-proxy.js';

const onPostgres = dialects.includes('postgres') ? describe : describe.skip;
onPostgres('on postgres', () => {
  let home: TestDatabase;
  const databases: Database[] = [];
  const open = async (options: PostgresOptions = {}, dsn = home.settings.dsn) => {
    const db = await openPostgres(dsn, options);
    databases.push(db);
    return db;
  };
  let otherDatabase: Database;
  beforeEach(async () => {
    home = await createTestDatabase('postgres');
    otherDatabase = await open({ poolSize: 2 });
    await otherDatabase.write(async (tx) => {
      await tx.run('CREATE TABLE clocks (person BIGINT PRIMARY KEY, revision BIGINT NOT NULL)');
      await tx.run('INSERT INTO clocks SELECT n, 0 FROM generate_series(1, 9) AS n');
    });
  });
  const setRevision = (person: number, revision: number): Change => ({
    verb: 'update',
    table: 'clocks',
    patch: { revision },
    where: { key: { person } },
  });
  const revisions = async () =>
    (await otherDatabase.all<{ revision: number }>('SELECT revision FROM clocks ORDER BY person')).map(
      (row) => row.revision,
    );
  afterEach(async () => {
    for (const db of databases.splice(0)) await db.close();
    await home.drop();
  });

  it('a transaction that lasts longer than allowed is ended, from PostgreSQL 17 on', async () => {
    const db = await open({ poolSize: 1, maxTransactionMs: 200 });
    const { version } = (await db.get<{ version: number }>(
      "SELECT CAST(current_setting('server_version_num') AS BIGINT) AS version",
    ))!;
    const long = db.write(async (tx) => {
      await tx.run('UPDATE clocks SET revision = 1 WHERE person = 1');
      await new Promise((resolve) => setTimeout(resolve, 400));
    });
    if (version < 170_000) await long;
    else await expect(long).rejects.toMatchObject({ name: 'DatabaseUnavailable', reason: 'gone' });
    expect(await db.get('SELECT revision FROM clocks WHERE person = 1')).toEqual({
      revision: version < 170_000 ? 1 : 0,
    });
  });

  it('a transaction sends BEGIN with the first reads, and the last changes with COMMIT, in one packet', async () => {
    const packets: string[] = [];
    const proxy = await openPostgresProxy(home.settings.dsn, (bytes) => {
      packets.push(bytes.toString('latin1'));
      return bytes;
    });
    const db = await open({ poolSize: 1 }, proxy.dsn);
    const effect = (revision: number) =>
      db.write(async (tx) => {
        const [first] = await Promise.all(
          [1, 2].map((person) => tx.get(`SELECT revision FROM clocks WHERE person = ${person}`)),
        );
        await Promise.all([3, 4].map((person) => tx.change(setRevision(person, revision))));
        for (const person of [5, 6]) tx.send(setRevision(person, revision));
        return first;
      });
    await effect(1);
    packets.length = 0;
    expect(await effect(2)).toEqual({ revision: 0 });
    expect(packets.map((packet) => packet.match(/BEGIN|COMMIT/g))).toEqual([['BEGIN'], null, ['COMMIT']]);
    expect(await revisions()).toEqual([0, 0, 2, 2, 2, 2, 0, 0, 0]);
    await db.close();
    databases.splice(databases.indexOf(db), 1);
    await proxy.close();
  });

  it('a transaction writes and answers nothing where BEGIN has failed and the connection stays', async () => {
    const refuseBegin = (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('BEGIN', 'BEGUN'), 'latin1');
    const proxy = await openPostgresProxy(home.settings.dsn, refuseBegin);
    const db = await open({ poolSize: 1 }, proxy.dsn);
    const statement = 'SELECT revision FROM clocks WHERE person = 1';
    const answers: unknown[] = [];
    const effects: ((tx: Transaction) => Promise<unknown>)[] = [
      async (tx) => answers.push(await tx.get(statement)),
      (tx) => Promise.all([tx.get(statement), tx.change(setRevision(1, 1)), tx.get(statement)]),
      async (tx) => tx.send(setRevision(1, 1)),
      async () => undefined,
    ];
    for (const effect of effects) await expect(db.write(effect)).rejects.toThrow('BEGUN');
    expect(answers).toEqual([]);
    expect(await db.get(statement)).toEqual({ revision: 0 });
    await db.close();
    databases.splice(databases.indexOf(db), 1);
    await proxy.close();
  });

  it('a connection without an answer is dropped and replaced, for reads and writes', async () => {
    const proxy = await openPostgresProxy(home.settings.dsn);
    const db = await open({ poolSize: 3, answerMilliseconds: 300, poolWaitMilliseconds: 300 }, proxy.dsn);
    await Promise.all([db.get('SELECT 1 AS one'), db.get('SELECT 1 AS one')]);
    let isCommitting = false;
    const interruptedWrite = db.write(async (tx) => {
      await tx.run('UPDATE clocks SET revision = 5 WHERE person = 3');
      proxy.silence(true);
      isCommitting = true;
    });
    while (!isCommitting) await otherDatabase.get('SELECT 1 AS one');
    const expectedReason = { name: 'DatabaseUnavailable' };
    const requests = [interruptedWrite, db.get('SELECT 1 AS one'), db.write((tx) => tx.get('SELECT 1 AS one'))];
    for (const outcome of await Promise.allSettled(requests)) expect(outcome).toMatchObject({ reason: expectedReason });
    expect(await db.ping()).toBe(false);
    proxy.silence(false);
    while (!(await db.ping()));
    expect(await db.get('SELECT revision FROM clocks WHERE person = 4')).toEqual({ revision: 0 });
    await db.close();
    databases.splice(databases.indexOf(db), 1);
    await proxy.close();
  });

  it('signals arrive over a new connection after the old one was cut off silently', async () => {
    const proxy = await openPostgresProxy(home.settings.dsn);
    let connections = 0;
    const texts: string[] = [];
    const signals = openPostgresSignals(
      proxy.dsn,
      { onMessage: (text) => void texts.push(text), onConnect: () => void connections++ },
      { every: 50, answer: 200 },
    );
    while (connections < 1) await otherDatabase.get('SELECT 1 AS one');
    proxy.silence(true);
    await signals.send('lost');
    await new Promise((resolve) => setTimeout(resolve, 10));
    proxy.silence(false);
    while (connections < 2) await otherDatabase.get('SELECT 1 AS one');
    while (!texts.includes('there')) {
      await signals.send('there');
      await otherDatabase.get('SELECT 1 AS one');
    }
    await signals.close();
    await proxy.close();
  });
});
