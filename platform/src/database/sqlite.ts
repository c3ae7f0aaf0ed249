/**
 * SQLite: one writing connection with a queue in front, a few reading ones. WAL with `synchronous=FULL`, so an
 * acknowledged write has been synced.
 * All calls run on libuv's threads: a lock held by another process never stops the event loop, as it would with
 * `node:sqlite`. The driver is a fork of `sqlite3` whose binaries are in the npm package, so nothing is compiled; its
 * version 9 needs Node 24.
 */
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Database as SqliteDriver } from '@appthreat/sqlite3';
import { type Database as Connection, open, type Statement } from 'sqlite';
import { poolWait } from '../deadlines.js';
import {
  type Database,
  DatabaseUnavailable,
  type Dialect,
  type Migration,
  type Parameters,
  type Reader,
  type Row,
  type Transaction,
} from './database.js';
import { applyNextMigration, createMigrationTable, SchemaUnknown } from './migrate.js';
import { type NamedStatement, parseNamedParameters, valuesOf } from './named-parameters.js';
import { createFileWatch, onlyNameOf } from './sqlite-file.js';
import { ownSqliteFile } from './sqlite-owner.js';
import { statementOf } from './table.js';

export const sqliteDialect: Dialect = {
  identity: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  bytes: 'BLOB',
  forUpdate: '',
  forNoKeyUpdate: () => '',
  forShare: () => '',
  forKeyShare: () => '',
  forUpdateSkipLocked: '',
  unlogged: '',
  jsonRows: (_table, columns, parameter) =>
    `(SELECT ${columns.map((column) => `value ->> '${column}' AS ${column}`).join(', ')} FROM json_each(${parameter}))`,
  nextIdentity: (table) => `COALESCE((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0) + 1`,
  setLastIdentity: (table, last) => [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${last})`,
  ],
  appendOnly: (table) =>
    ['UPDATE', 'DELETE'].map(
      (verb) =>
        `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`,
    ),
  tables: "(SELECT name FROM sqlite_master WHERE type = 'table') AS tables",
  // One writer: a counter in the transaction.
  order: {
    schema: [
      'CREATE TABLE transaction_number (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL)',
      'INSERT INTO transaction_number (one, number) VALUES (1, 0)',
    ],
    number: "UPDATE transaction_number SET number = number + 1 WHERE one = 1 RETURNING number, 'file' AS server",
    horizon: '(SELECT number + 1 FROM transaction_number)',
  },
};

/** "CLKP": marks the file as ours (SQLite header field application_id). */
const applicationId = 0x434c4b50;

const busyStepMilliseconds = 2;
const turnMilliseconds = 500;
const readerCount = 3;
/**
 * Each reading connection has a cache of its own, for the inner pages of the indexes. Leaves come from the system's
 * page cache, which all of them share: more here would fill with the file for hours. A write touches few pages,
 * wherever they lie.
 */
export const readerCacheKib = 4 * 1_024;
const writerCacheKib = 8 * 1_024;

export interface SqliteOptions {
  /** This process serves from the file: a second one is refused. */
  readonly exclusive?: boolean;
  /**
   * Longest wait of a write for a lock of another process, the time until its turn included; default five seconds. Once
   * it is its turn it waits for half a second in any case: a long queue is no reason to give up.
   */
  readonly waitMilliseconds?: number;
}

/**
 * @throws {SchemaUnknown} no SQLite file, or another program's
 * @throws {DatabaseInUse} with `exclusive`: another process serves from it
 * @throws Error with the sentence: see {@link onlyNameOf}
 */
export async function openSqlite(
  file: string,
  { exclusive = false, waitMilliseconds = poolWait }: SqliteOptions = {},
): Promise<Database> {
  refuseForeignFile(file);
  makeFolder(dirname(file));
  // People's data: for its owner only, and so are the files that SQLite puts beside it.
  closeSync(openSync(file, 'a', 0o600));
  const name = onlyNameOf(file);
  if (!exclusive) return openOurFile(name, waitMilliseconds);
  const release = await ownSqliteFile(name);
  try {
    const db = await openOurFile(name, waitMilliseconds);
    return { ...db, close: () => db.close().finally(release) };
  } catch (error) {
    await release();
    throw error;
  }
}

/** @throws {DatabaseUnavailable} a part that every opening reads is damaged */
function openOurFile(file: string, waitMilliseconds: number): Promise<Database> {
  return openFile(file, waitMilliseconds).catch((error: unknown) => {
    throw unavailable(error);
  });
}

/** Makes the last folder only: a mistyped path must not become a new database somewhere else. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (!existsSync(parent)) throw new Error(`there is no folder ${parent}`);
  mkdirSync(folder);
}

async function openFile(file: string, waitMilliseconds: number): Promise<Database> {
  const writer = await connect(file, writerCacheKib, waitMilliseconds);
  await markAsOurs(writer);
  // Deleted rows are overwritten: SQLite would leave them readable in the file.
  await writer.exec(
    'PRAGMA secure_delete=ON; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=0;',
  );
  const readers = await Promise.all(
    Array.from({ length: readerCount }, async () => {
      const connection = await connect(file, readerCacheKib, waitMilliseconds);
      await connection.exec('PRAGMA query_only=ON;');
      return connection;
    }),
  );

  const writing = statements(writer);
  const reading = readers.map((reader) => statements(reader));
  let turn = 0;
  const reader = () => {
    turn = (turn + 1) % readerCount;
    return reading[turn]!;
  };

  const queue = createWriteQueue(writing, waitMilliseconds);
  const watch = createFileWatch(file);
  await watch();
  let isClosing = false;
  let isDamaged = false;
  const fail = (error: unknown): never => {
    const reason = unavailable(error);
    isDamaged ||= reason instanceof DatabaseUnavailable && reason.reason === 'damaged';
    throw reason;
  };
  const anyReader: Reader = {
    dialect: sqliteDialect,
    all: <R extends object = Row>(sql: string, parameters?: Parameters) => reader().all<R>(sql, parameters).catch(fail),
    get: <R extends object = Row>(sql: string, parameters?: Parameters) => reader().get<R>(sql, parameters).catch(fail),
  };
  return {
    ...anyReader,
    // A running statement is read to its end.
    readsOf: ({ signal }) => ({
      dialect: sqliteDialect,
      async all<R extends object>(sql: string, parameters?: Parameters) {
        signal.throwIfAborted();
        return anyReader.all<R>(sql, parameters);
      },
      async get<R extends object>(sql: string, parameters?: Parameters) {
        signal.throwIfAborted();
        return anyReader.get<R>(sql, parameters);
      },
    }),
    write: (effect) => queue.write(effect).catch(fail),
    async migrate(migrations: readonly Migration[]) {
      await queue.write((tx) => tx.run(createMigrationTable));
      while (await queue.write((tx) => applyNextMigration(tx, migrations)));
    },
    // A damaged page does not heal.
    ping: () =>
      reader()
        .get('SELECT 1 AS one')
        .then(
          () => !isDamaged,
          () => false,
        ),
    async findLoss() {
      const loss = await watch();
      return isClosing ? undefined : loss;
    },
    async close() {
      isClosing = true;
      await queue.settled();
      await Promise.all([writing, ...reading].map((statement) => statement.finalize()));
      // The last connection to close moves the log into the file: it must find itself alone. Connections that close
      // at the same time can each find the other, and the log stays.
      for (const reader of readers) await reader.close();
      await writer.close();
    },
  };
}

interface WriteQueue {
  write<T>(effect: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Resolves when no write is under way. */
  settled(): Promise<unknown>;
}

/** Writes effects one after the other, in the order asked, each in a transaction of its own. */
function createWriteQueue(on: Statements, waitMilliseconds: number): WriteQueue {
  let last: Promise<unknown> = Promise.resolve();

  /** If the process stops before the commit, nothing happened and no client was answered. */
  async function transact<T>(effect: (tx: Transaction) => Promise<T>, until: number): Promise<T> {
    await begin(on, until);
    const { tx, end } = openTransaction(on);
    try {
      const result = await effect(tx);
      await end('COMMIT');
      return result;
    } catch (error) {
      // If SQLite has ended the transaction, there is none to roll back, and SQLite says so.
      await end('ROLLBACK').catch(() => undefined);
      throw unavailable(error);
    }
  }

  return {
    write(effect) {
      const until = performance.now() + waitMilliseconds;
      const turn = Math.min(turnMilliseconds, waitMilliseconds);
      const outcome = last.then(() => transact(effect, Math.max(until, performance.now() + turn)));
      last = outcome.catch(() => undefined);
      return outcome;
    },
    settled: () => last,
  };
}

interface OpenTransaction {
  readonly tx: Transaction;
  /**
   * Waits for the statements sent and refuses later ones. @throws with `COMMIT`: the failure of the first one that
   * failed
   */
  end(verb: 'COMMIT' | 'ROLLBACK'): Promise<void>;
}

/**
 * The statements of an open transaction, one after the other in the order sent. A statement that fails can end the
 * whole transaction, as SQLite does where disk or memory is full (https://www.sqlite.org/lang_transaction.html,
 * "Response to errors within a transaction"); later statements would be committed alone. Nothing else ends it. So
 * the first failure is the answer to all later statements, and to COMMIT, and none of them runs.
 */
export function openTransaction(on: Statements): OpenTransaction {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(statement: () => Promise<T>): Promise<T> => {
    const answer = last.then(statement);
    wait(answer);
    return answer;
  };
  const wait = (answer: Promise<unknown>) => {
    last = answer;
    last.catch(() => undefined);
  };
  return {
    tx: {
      dialect: sqliteDialect,
      all: <R extends object = Row>(sql: string, parameters?: Parameters) => inTurn(() => on.all<R>(sql, parameters)),
      get: <R extends object = Row>(sql: string, parameters?: Parameters) => inTurn(() => on.get<R>(sql, parameters)),
      run: (sql, parameters) => inTurn(() => on.run(sql, parameters)),
      change: (change) => inTurn(() => on.change(change)),
      send: (change) => void inTurn(() => on.change(change)),
    },
    async end(verb) {
      const previous = last;
      wait(Promise.reject(new Error('the transaction has ended')));
      await (verb === 'COMMIT' ? previous : previous.catch(() => undefined));
      await on.run(verb);
    },
  };
}

/**
 * Tries in short steps. SQLite's own waiting sleeps up to 100 ms at a time: it would hardly ever meet the gap between
 * two transactions of a process that always writes.
 */
async function begin(on: Statements, until: number): Promise<void> {
  for (;;) {
    try {
      return void (await on.run('BEGIN IMMEDIATE'));
    } catch (error) {
      // The ROLLBACK before may have failed for want of memory.
      const isOpen = /within a transaction/.test(String(error));
      if (isOpen) await on.run('ROLLBACK').catch(() => undefined);
      const reason = isOpen ? new DatabaseUnavailable('busy', { cause: error }) : unavailable(error);
      const isBusy = reason instanceof DatabaseUnavailable && reason.reason === 'busy';
      if (!isBusy || performance.now() >= until) throw reason;
    }
    await pause(busyStepMilliseconds);
  }
}

export async function connect(file: string, cacheKib: number, waitMilliseconds = poolWait): Promise<Connection> {
  const connection = await open({ filename: onlyNameOf(file), driver: SqliteDriver });
  await connection.exec(
    `PRAGMA busy_timeout=${waitMilliseconds}; PRAGMA cache_size=-${cacheKib}; PRAGMA temp_store=MEMORY;`,
  );
  return connection;
}

/** Statements of one connection, prepared once and kept by their text. Those sent together run in any order. */
export interface Statements extends Omit<Transaction, 'send'> {
  finalize(): Promise<void>;
}

export function statements(connection: Connection): Statements {
  const preparations = new Map<string, Promise<{ statement: Statement; namedStatement: NamedStatement }>>();
  const prepare = (sql: string) => {
    let preparation = preparations.get(sql);
    if (preparation === undefined) {
      const namedStatement = parseNamedParameters(sql);
      preparation = connection.prepare(sql).then((statement) => ({ statement, namedStatement }));
      preparation.catch(() => preparations.delete(sql));
      preparations.set(sql, preparation);
    }
    return preparation;
  };
  // Always `all`: `get` would leave the statement open, and with it a read transaction that keeps the WAL from being
  // checkpointed.
  const all = async <R extends object = Row>(sql: string, parameters: Parameters = {}): Promise<R[]> => {
    const { statement, namedStatement } = await prepare(sql);
    return statement.all<R[]>(valuesOf(namedStatement, parameters));
  };
  const run = async (sql: string, parameters: Parameters = {}): Promise<number> => {
    const { statement, namedStatement } = await prepare(sql);
    return (await statement.run(valuesOf(namedStatement, parameters))).changes ?? 0;
  };
  return {
    dialect: sqliteDialect,
    all,
    run,
    async change(change) {
      const { sql, parameters } = statementOf(change);
      if (change.returning !== true) return { count: await run(sql, parameters), rows: [] };
      const rows = await all(sql, parameters);
      return { count: rows.length, rows };
    },
    get: async <R extends object = Row>(sql: string, parameters?: Parameters): Promise<R | undefined> =>
      (await all<R>(sql, parameters))[0],
    async finalize() {
      for (const preparation of preparations.values())
        await preparation.then(
          ({ statement }) => statement.finalize(),
          () => undefined,
        );
    },
  };
}

function unavailable(error: unknown): unknown {
  const code = (error as { code?: string }).code ?? '';
  if (code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED' || code === 'SQLITE_NOMEM')
    return new DatabaseUnavailable('busy', { cause: error });
  if (code === 'SQLITE_FULL') return new DatabaseUnavailable('full', { cause: error });
  if (code === 'SQLITE_IOERR' || code === 'SQLITE_READONLY' || code === 'SQLITE_CANTOPEN')
    return new DatabaseUnavailable('io', { cause: error });
  if (damageOf(error) !== undefined) return new DatabaseUnavailable('damaged', { cause: error });
  return error;
}

/** SQLite's message at a damaged page; undefined for other errors. */
export function damageOf(error: unknown): string | undefined {
  const { code = '', message } = error as { code?: string; message: string };
  return code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB' ? message : undefined;
}

/**
 * Looks at the first bytes (https://www.sqlite.org/fileformat.html §1.3), so that a stranger's file stays untouched.
 */
export function refuseForeignFile(file: string): void {
  if (!existsSync(file) || statSync(file).size === 0) return;
  const magic = Buffer.alloc(16);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, magic, 0, magic.length, 0);
  } finally {
    closeSync(handle);
  }
  if (magic.toString('latin1') !== 'SQLite format 3\0') throw new SchemaUnknown(`${file} is not an SQLite database`);
}

async function markAsOurs(writer: Connection): Promise<void> {
  const id = (await writer.get<{ application_id: number }>('PRAGMA application_id'))?.application_id ?? 0;
  if (id === applicationId) return;
  const tables = (await writer.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_master'))?.n ?? 0;
  if (id !== 0 || tables > 0) {
    await writer.close();
    throw new SchemaUnknown('the SQLite file belongs to another program');
  }
  await writer.exec(`PRAGMA application_id=${applicationId}`);
}
