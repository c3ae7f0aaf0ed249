import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type Database,
  DatabaseUnavailable,
  type Migration,
  type Reader,
  RunAgain,
  type Transaction,
} from '../src/database/database.js';
import { parseNamedParameters } from '../src/database/named-parameters.js';
import { openDatabase } from '../src/database/open.js';
import { openSnapshot } from '../src/database/snapshot.js';
import { createTestDatabase, dialects, type TestDatabase } from '../src/testing/databases.js';

const stamps: Migration = {
  id: '0001-stamps',
  statements: (d) => [
    `CREATE TABLE stamps (id ${d.identity}, person ${d.integer} NOT NULL, at ${d.integer} NOT NULL, raw ${d.bytes})`,
    'CREATE UNIQUE INDEX one_open ON stamps (person) WHERE raw IS NULL',
  ],
};

describe('named parameters', () => {
  it('named parameters are numbered by first appearance and left alone in quotes, casts and comments', () => {
    expect(
      parseNamedParameters(`SELECT ':no', ":col", x::text -- :not
      FROM t WHERE a = :a AND b = :b AND c = :a /* :nor */`),
    ).toEqual({
      names: ['a', 'b'],
      positional: `SELECT ':no', ":col", x::text -- :not
      FROM t WHERE a = $1 AND b = $2 AND c = $1 /* :nor */`,
    });
  });
});

/** A transaction of another database that ends while the horizon is asked for still holds it in that answer. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await setImmediate();
}

describe.each(dialects)('database on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    home = await createTestDatabase(dialect);
    db = await openDatabase(home.settings);
    await db.migrate([stamps]);
  });
  afterEach(async () => {
    await db.close();
    await home.drop();
  });

  it('the database gives numbers, texts and bytes back as they were written', async () => {
    const at = 1_795_233_600_123;
    const row = await db.write((tx) =>
      tx.get('INSERT INTO stamps (person, at, raw) VALUES (:person, :at, :raw) RETURNING *', {
        person: Number.MAX_SAFE_INTEGER,
        at,
        raw: new Uint8Array([1, 0, 255]),
      }),
    );
    expect(row).toMatchObject({ id: 1, person: Number.MAX_SAFE_INTEGER, at });
    expect([...(row as { raw: Uint8Array }).raw]).toEqual([1, 0, 255]);
    expect((await db.get<{ n: number }>('SELECT count(*) AS n FROM stamps'))!.n).toBe(1);
    expect((await db.get<{ n: number }>('SELECT sum(at) AS n FROM stamps'))!.n).toBe(at);
  });

  it('the database keeps nothing of a transaction that threw', async () => {
    await expect(
      db.write(async (tx) => {
        await tx.run('INSERT INTO stamps (person, at) VALUES (1, 1)');
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(await db.all('SELECT * FROM stamps')).toEqual([]);
  });

  describe('a failed statement', () => {
    const insert = 'INSERT INTO stamps (person, at) VALUES (:person, 1)';
    // On SQLite the database itself ends this transaction, as it may where disk or memory is full.
    const fail = (tx: Transaction) =>
      tx.run(`INSERT ${dialect === 'sqlite' ? 'OR ROLLBACK ' : ''}INTO stamps (person, at) VALUES (1, 1)`);
    const effects: Record<string, (tx: Transaction) => Promise<unknown>> = {
      'those sent beside it': (tx) =>
        Promise.all([fail(tx), tx.run('INSERT INTO stamps (person, at) VALUES (2, 1)'), tx.run(insert, { person: 3 })]),
      'those sent later, if the effect goes on': (tx) =>
        fail(tx).catch(() => tx.run(insert, { person: 2 }).catch(() => undefined)),
      'those before it, if the effect does not wait for it': async (tx) => {
        await tx.run(insert, { person: 2 });
        fail(tx).catch(() => undefined);
      },
      'those before it, if it goes out with COMMIT': async (tx) => {
        await tx.run(insert, { person: 2 });
        tx.send({ verb: 'insert', table: 'stamps', row: { person: 1, at: 1 } });
        tx.send({ verb: 'insert', table: 'stamps', row: { person: 3, at: 1 } });
      },
      'those before it, if it never reaches the database': async (tx) => {
        await tx.run(insert, { person: 2 });
        const columns = ['person', 'at'];
        tx.send({ verb: 'insertFrom', table: 'stamps', columns, select: 'VALUES (:unique, 1)', parameters: {} });
      },
      'those of an effect that refuses': (tx) =>
        fail(tx).catch(() => {
          tx.run(insert, { person: 2 }).catch(() => undefined);
          throw new Error('somebody else was first');
        }),
    };
    it.each(Object.keys(effects))('a transaction in which a statement failed commits none: %s', async (name) => {
      await db.write((tx) => tx.run(insert, { person: 1 }));
      await expect(db.write(effects[name]!)).rejects.toThrow(/unique|first/i);
      expect(await db.all('SELECT person FROM stamps')).toEqual([{ person: 1 }]);
      await db.write((tx) => tx.run(insert, { person: 4 }));
      expect(await db.all('SELECT person FROM stamps ORDER BY id')).toEqual([{ person: 1 }, { person: 4 }]);
    });
  });

  it('an ended transaction refuses statements', async () => {
    const goOn = async (tx: Transaction, rows: number[]) => {
      for (let person = 1; person <= 200; person++) {
        await tx.run('INSERT INTO stamps (person, at) VALUES (:person, 1)', { person });
        rows.push(person);
      }
    };
    for (const outcome of ['thrown', 'committed']) {
      const [rows, branches]: [number[], Promise<void>[]] = [[], []];
      const write = db.write(async (tx) => {
        branches.push(goOn(tx, rows));
        await tx.get('SELECT 1 AS one');
        if (outcome === 'thrown') throw new Error('thrown');
        return outcome;
      });
      await expect(write.catch((error: Error) => error.message)).resolves.toBe(outcome);
      await expect(branches[0]).rejects.toThrow('the transaction has ended');
      const people = (await db.all<{ person: number }>('SELECT person FROM stamps ORDER BY person')).map(
        (row) => row.person,
      );
      expect(people).toEqual(outcome === 'thrown' ? [] : rows);
    }
  });

  it('a snapshot reads nothing more once a read has failed', async () => {
    const snapshot = await openSnapshot(home.settings);
    expect(await snapshot.all('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expect(snapshot.all('SELECT * FROM nothing')).rejects.toThrow('nothing');
    await expect(snapshot.all('SELECT 1 AS one')).rejects.toThrow('nothing');
    await snapshot.close();
  });

  it('the database lets exactly one of many conditional inserts through', async () => {
    const results = await Promise.all(
      Array.from({ length: 60 }, () =>
        db.write((tx) => tx.run('INSERT INTO stamps (person, at) VALUES (7, 1) ON CONFLICT DO NOTHING')),
      ),
    );
    expect(results.filter((count) => count === 1)).toHaveLength(1);
  });

  it('the database refuses a parameter without a value', async () => {
    await expect(db.all('SELECT :missing AS x')).rejects.toThrow(':missing');
  });

  it('the database runs migrations once, also when two processes start together', async () => {
    const secondMigration: Migration = { id: '0002-more', statements: () => ['CREATE TABLE more (id INTEGER)'] };
    const otherDatabase = await openDatabase(home.settings);
    await Promise.all([db.migrate([stamps, secondMigration]), otherDatabase.migrate([stamps, secondMigration])]);
    expect(await db.all('SELECT id FROM schema_migrations ORDER BY id')).toEqual([
      { id: '0001-stamps' },
      { id: '0002-more' },
    ]);
    await otherDatabase.close();
  });

  it('the database refuses two migrations with the same id before any change', async () => {
    const duplicate: Migration = { id: '0001-stamps', statements: () => ['CREATE TABLE more (id INTEGER)'] };
    await expect(db.migrate([stamps, duplicate])).rejects.toThrow('two migrations have the id 0001-stamps');
    await expect(db.all('SELECT * FROM more')).rejects.toThrow();
  });

  it('the database keeps the old schema intact when a migration fails half way', async () => {
    const brokenMigration: Migration = {
      id: '0002-broken',
      statements: () => ['CREATE TABLE half (id INTEGER)', 'CREATE NONSENSE'],
    };
    await expect(db.migrate([stamps, brokenMigration])).rejects.toThrow();
    await expect(db.all('SELECT * FROM half')).rejects.toThrow();
    expect(await db.all('SELECT id FROM schema_migrations')).toEqual([{ id: '0001-stamps' }]);
  });

  if (dialect === 'postgres')
    it('the database repeats a query where another replica has altered a table', async () => {
      const otherDatabase = await openDatabase(home.settings);
      await db.write((tx) => tx.run('INSERT INTO stamps (person, at) VALUES (1, 1)'));
      const readRows = () => db.all('SELECT * FROM stamps');
      const write = () => db.write((tx) => tx.get('UPDATE stamps SET at = at + 1 RETURNING *'));
      for (let turn = 0; turn < 12; turn++) await Promise.all([readRows(), write()]);
      await otherDatabase.write((tx) => tx.run('ALTER TABLE stamps ADD COLUMN note TEXT'));
      for (let turn = 0; turn < 12; turn++) {
        expect(await readRows()).toMatchObject([{ person: 1, note: null }]);
        expect(await write()).toMatchObject({ person: 1, note: null });
      }
      // On connections made since, too: each begins twice.
      for (let turn = 0; turn < 2; turn++) await Promise.all(Array.from({ length: 8 }, write));
      await otherDatabase.close();
    });

  if (dialect === 'postgres')
    it('the database repeats an effect from its beginning on request, a few times at most', async () => {
      let runs = 0;
      const insertAgain = (times: number) =>
        db.write(async (tx) => {
          await tx.run('INSERT INTO stamps (person, at) VALUES (:person, 1)', { person: ++runs });
          if (runs < times) throw new RunAgain('a newer write came first');
        });
      await insertAgain(4);
      expect(await db.all('SELECT person FROM stamps')).toEqual([{ person: 4 }]);
      await expect(insertAgain(Number.POSITIVE_INFINITY)).rejects.toMatchObject({ reason: 'busy' });
      expect(await db.all('SELECT person FROM stamps')).toEqual([{ person: 4 }]);
    });

  it('the database lets a second process write while the first one writes without pause', async () => {
    const otherDatabase = await openDatabase(home.settings);
    let isDone = false;
    const writeOften = async (person: number) => {
      while (!isDone)
        await db.write((tx) =>
          tx.run('INSERT INTO stamps (person, at, raw) VALUES (:person, 1, :raw)', { person, raw: new Uint8Array(1) }),
        );
    };
    const writers = Promise.all(Array.from({ length: 32 }, (_, person) => writeOften(person)));
    try {
      for (let at = 0; at < 20; at++)
        await otherDatabase.write((tx) =>
          tx.run('INSERT INTO stamps (person, at, raw) VALUES (-1, :at, :raw)', { at, raw: new Uint8Array(1) }),
        );
    } finally {
      isDone = true;
      await writers;
      await otherDatabase.close();
    }
    expect(await db.get('SELECT count(*) AS n FROM stamps WHERE person = -1')).toEqual({ n: 20 });
  });

  it('the database numbers transactions by lock order, and reports below which all have ended', async () => {
    await db.migrate([stamps, { id: '0002-order', statements: (d) => d.order.schema }]);
    const { number, horizon } = db.dialect.order;
    const readHorizon = async () => (await db.get<{ horizon: number }>(`SELECT ${horizon} AS horizon`))!.horizon;
    const numberOf = async (tx: Transaction) => (await tx.get<{ number: number }>(number))!.number;
    const firstNumber = await db.write(numberOf);
    expect(await readHorizon()).toBeGreaterThan(firstNumber);
    const nextNumber = await db.write(async (tx) => {
      const number = await numberOf(tx);
      expect(number).toBeGreaterThan(firstNumber);
      // Others cannot see the end of it yet.
      expect(await readHorizon()).toBeLessThanOrEqual(number);
      return number;
    });
    expect(await readHorizon()).toBeGreaterThan(nextNumber);
  });

  if (dialect === 'postgres')
    it('the database reports the cause of a held horizon: only a write of its own', async () => {
      await db.migrate([stamps, { id: '0002-order', statements: (d) => d.order.schema }]);
      const { number, horizon } = db.dialect.order;
      const horizonIn = async (reader: Reader) =>
        (await reader.get<{ horizon: number }>(`SELECT ${horizon} AS horizon`))!.horizon;
      const readHorizon = () => horizonIn(db);
      const numberOf = async (tx: Transaction) => (await tx.get<{ number: number }>(number))!.number;
      const otherHome = await createTestDatabase(dialect);
      const [otherDatabase, secondDatabase] = [
        await openDatabase(otherHome.settings),
        await openDatabase(home.settings),
      ];
      await otherDatabase.write(async (tx) => {
        const heldNumber = await numberOf(tx);
        await secondDatabase.write(async (reader) => {
          await reader.all('SELECT * FROM stamps');
          const next = await db.write(numberOf);
          expect(next).toBeGreaterThan(heldNumber);
          await until(async () => (await readHorizon()) > next);
        });
      });
      // The transaction that asks has not ended either, whatever has since.
      await db.write(async (tx) => {
        const ownNumber = await numberOf(tx);
        await secondDatabase.write(numberOf);
        await until(async () => (await horizonIn(tx)) === ownNumber);
      });
      // What began in a savepoint has the number of its transaction.
      await db.write(async (tx) => {
        const outer = await numberOf(tx);
        await tx.run('SAVEPOINT within');
        expect(await numberOf(tx)).toBe(outer);
        await tx.run('RELEASE within');
      });
      await Promise.all([otherDatabase.close(), secondDatabase.close()]);
      await otherHome.drop();
    });

  if (dialect === 'postgres')
    it('the database stays usable when the server ends every connection', async () => {
      await db.write((tx) => tx.run('INSERT INTO stamps (person, at) VALUES (1, 1)'));
      const otherDatabase = await openDatabase(home.settings);
      // In the middle of a transaction, and idle ones too.
      await expect(
        db.write(async (tx) => {
          await tx.run('INSERT INTO stamps (person, at) VALUES (2, 1)');
          await otherDatabase.all(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
          );
          await tx.run('INSERT INTO stamps (person, at) VALUES (3, 1)');
        }),
      ).rejects.toThrow(DatabaseUnavailable);
      expect(await db.all('SELECT person FROM stamps')).toEqual([{ person: 1 }]);
      await db.write((tx) => tx.run('INSERT INTO stamps (person, at) VALUES (4, 1)'));
      await otherDatabase.close();
    });

  it('the database refuses the schema of a newer version', async () => {
    await expect(db.migrate([])).rejects.toThrow('0001-stamps');
  });
});

describe('an SQLite file', () => {
  const homes: TestDatabase[] = [];
  afterAll(async () => {
    for (const home of homes) await home.drop();
  });
  const createSettings = async () => {
    const home = await createTestDatabase('sqlite');
    homes.push(home);
    return home.settings;
  };

  it('an SQLite file of random bytes is refused and unchanged', async () => {
    const settings = await createSettings();
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256));
    writeFileSync(settings.dsn, bytes);
    await expect(openDatabase(settings)).rejects.toThrow('not an SQLite database');
    expect(readFileSync(settings.dsn).equals(bytes)).toBe(true);
  });

  it('an SQLite file locked by another process delays writes, while reads continue', async () => {
    const settings = await createSettings();
    const db = await openDatabase(settings);
    await db.migrate([stamps]);
    const { Database } = await import('@appthreat/sqlite3');
    const otherProcess = await new Promise<import('@appthreat/sqlite3').Database>((resolve) => {
      const connection = new Database(settings.dsn, () => resolve(connection));
    });
    const execute = (sql: string) =>
      new Promise<void>((resolve, reject) => otherProcess.exec(sql, (error) => (error ? reject(error) : resolve())));
    await execute('BEGIN IMMEDIATE');
    let isWritten = false;
    const write = db
      .write((tx) => tx.run('INSERT INTO stamps (person, at) VALUES (1, 1)'))
      .then(() => {
        isWritten = true;
      });
    for (let turn = 0; turn < 20; turn++) expect(await db.all('SELECT * FROM stamps')).toEqual([]);
    expect(isWritten).toBe(false);
    await execute('COMMIT');
    await write;
    expect(await db.all('SELECT person FROM stamps')).toEqual([{ person: 1 }]);
    await new Promise((resolve) => otherProcess.close(resolve));
    await db.close();
  });

  it('an SQLite file carries out writes after a long wait, and gives up only if the database is locked', async () => {
    const settings = await createSettings();
    const db = await openDatabase(settings);
    await db.migrate([stamps]);
    const insert = (person: number) =>
      db.write((tx) => tx.run(`INSERT INTO stamps (person, at) VALUES (${person}, 1)`));
    const startTime = performance.now();
    const clock = jest.spyOn(performance, 'now');
    try {
      const slowWrite = db.write(async (tx) => {
        clock.mockReturnValue(startTime + 60_000);
        await tx.run('INSERT INTO stamps (person, at) VALUES (1, 1)');
      });
      await Promise.all([slowWrite, insert(2), insert(3)]);
      expect(await db.all('SELECT person FROM stamps ORDER BY person')).toHaveLength(3);

      const otherDatabase = await openDatabase({ ...settings, exclusive: false });
      let releaseLock = () => {};
      const isLocked = new Promise<void>((resolve) => (releaseLock = resolve));
      let end = () => {};
      const longWrite = otherDatabase.write(async () => {
        releaseLock();
        await new Promise<void>((resolve) => (end = resolve));
      });
      await isLocked;
      // It is asked for, its turn comes, and the time is over.
      clock
        .mockReturnValueOnce(startTime + 60_000)
        .mockReturnValueOnce(startTime + 90_000)
        .mockReturnValue(startTime + 120_000);
      await expect(insert(4)).rejects.toThrow(DatabaseUnavailable);
      end();
      await longWrite;
      await otherDatabase.close();
    } finally {
      clock.mockRestore();
    }
    await db.close();
  });

  it('an SQLite file on a full disk keeps acknowledged writes only, and continues once there is room', async () => {
    const settings = await createSettings();
    const db = await openDatabase(settings);
    await db.migrate([stamps]);
    // SQLite treats its own limit of pages as the end of the disk.
    const limit = (pages: number) => db.write((tx) => tx.all(`PRAGMA max_page_count=${pages}`));
    const stamp = (person: number, bytes: Buffer) =>
      db
        .write((tx) => tx.run('INSERT INTO stamps (person, at, raw) VALUES (:person, 1, :raw)', { person, raw: bytes }))
        .then(
          () => person,
          (error: unknown) => error as Error,
        );
    const { page_count: pages } = (await db.get<{ page_count: number }>('PRAGMA page_count'))!;
    await limit(pages + 4);
    // Some fit, the others do not.
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, person) => stamp(person, Buffer.alloc(person % 3 === 2 ? 40_000 : 10))),
    );
    const refusals = answers.filter((answer) => answer instanceof Error);
    const sequences = answers.filter((answer) => typeof answer === 'number');
    expect(refusals.length).toBeGreaterThanOrEqual(3);
    for (const error of refusals) expect(error).toMatchObject({ name: 'DatabaseUnavailable', reason: 'full' });
    const readPeople = async () =>
      (await db.all<{ person: number }>('SELECT person FROM stamps ORDER BY person')).map((row) => row.person);
    expect(await readPeople()).toEqual(sequences);
    await limit(1_000_000);
    expect(await stamp(100, Buffer.alloc(40_000))).toBe(100);
    expect(await readPeople()).toEqual([...sequences, 100]);
    await db.close();
  });

  it('an SQLite file is synced to disk at every commit', async () => {
    const settings = await createSettings();
    const db = await openDatabase(settings);
    expect(await db.write((tx) => tx.get('PRAGMA synchronous'))).toEqual({ synchronous: 2 });
    expect(await db.write((tx) => tx.get('PRAGMA journal_mode'))).toEqual({ journal_mode: 'wal' });
    await db.close();
  });

  it('an SQLite file needs no temporary files', async () => {
    const db = await openDatabase(await createSettings());
    for (const reader of [{ get: (sql: string) => db.write((tx) => tx.get(sql)) }, db, db, db])
      expect(await reader.get('PRAGMA temp_store')).toEqual({ temp_store: 2 });
    await db.close();
  });

  it('an SQLite file is complete once it is closed, without a log beside it', async () => {
    for (let time = 0; time < 60; time++) {
      const settings = await createSettings();
      await (await openDatabase(settings)).close();
      expect(existsSync(`${settings.dsn}-wal`)).toBe(false);
    }
  });

  it('an SQLite file of another program is refused', async () => {
    const settings = await createSettings();
    const { Database } = await import('@appthreat/sqlite3');
    await new Promise<void>((resolve, reject) => {
      const otherConnection = new Database(settings.dsn);
      otherConnection.exec('CREATE TABLE theirs (id INTEGER)', (error) =>
        error ? reject(error) : otherConnection.close(() => resolve()),
      );
    });
    await expect(openDatabase(settings)).rejects.toThrow('another program');
  });

  it('an SQLite file in a missing folder is refused, unless only the last folder is missing', async () => {
    const home = mkdtempSync(join(tmpdir(), 'clockproof-folders-'));
    const open = (...path: string[]) => openDatabase({ driver: 'sqlite', dsn: join(home, ...path) });
    await expect(open('not', 'there', 'x.sqlite')).rejects.toThrow(`there is no folder ${join(home, 'not')}`);
    expect(readdirSync(home)).toEqual([]);
    await (await open('data', 'x.sqlite')).close();
    expect(readdirSync(home)).toEqual(['data']);
    rmSync(home, { recursive: true });
  });
});
