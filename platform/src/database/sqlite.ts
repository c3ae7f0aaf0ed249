/**
 * SQLite: one writing connection with a queue in front, a few reading ones. WAL with `synchronous=FULL`, so an
 * acknowledged write has been synced.
 * All calls run on libuv's threads: a lock held by another process never stops the event loop.
 */
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Database as SqliteDriver } from '@appthreat/sqlite3';
import { type Database as Connection, open, type Statement } from 'sqlite';
import { runBatch } from './batch.js';
import { groupOf, runGroup } from './batch-group.js';
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
import { applicationId, markAsCompleteIfLast, ownSqliteFile, type Repeat } from './sqlite-owner.js';

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  identity: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  bytes: 'BLOB',
  forUpdate: '',
  forUpdateSkipLocked: '',
  unlogged: '',
  jsonMember: (column, member) => `CAST(json_extract(${column}, '$.${member}') AS TEXT)`,
  jsonRows: (_table, columns, parameter) =>
    `(SELECT ${columns.map((column) => `value ->> '${column}' AS ${column}`).join(', ')} FROM json_each(${parameter}))`,
  randomHex: 'lower(hex(randomblob(16)))',
  lastIdentities: 'sqlite_sequence',
  setLastIdentity: (table, last) => [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${last})`,
  ],
  appendOnly: (table) =>
    ['UPDATE', 'DELETE'].map(
      (verb) =>
        `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`,
    ),
};

/**
 * How long a write waits for a lock of another process, the time until its turn included. It is tried once in any case:
 * a long queue is no reason to give up.
 */
const busyMilliseconds = 8_000;
const readerCount = 3;
/** Effects that share one commit, and how long the first of them may wait for the others. */
const groupSize = 64;
const groupMilliseconds = 20;

interface WaitingEffect {
  readonly effect: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** On the clock of `performance.now()`. */
  readonly asked: number;
}
/**
 * Each reading connection has a cache of its own, for the inner pages of the indexes. Leaves come from the system's page
 * cache, which all of them share: more here would fill with the file for hours. A write touches few pages, wherever they
 * lie.
 */
export const readerCacheKib = 4 * 1_024;
const writerCacheKib = 8 * 1_024;

export interface SqliteOptions {
  /** This process serves from the file: a second one is refused, and copies of the main file alone are recognised. */
  readonly own?: boolean;
  /** When the log is moved into the file; every half minute unless handed in. */
  readonly repeat?: Repeat;
}

/**
 * @throws {SchemaUnknown} damaged, or another program's
 * @throws {DatabaseInUse} with `own`: another process serves from it
 * @throws {IncompleteCopy} with `own`: it was copied without its `-wal` file
 */
export async function openSqlite(file: string, { own = false, repeat }: SqliteOptions = {}): Promise<Database> {
  refuseForeignFile(file);
  makeFolder(dirname(file));
  if (!own) return openFile(file);
  const ownership = await ownSqliteFile(file, repeat);
  try {
    const db = await openFile(file);
    await ownership.begin();
    return { ...db, close: () => ownership.end(db.close) };
  } catch (error) {
    await ownership.end(async () => undefined);
    throw error;
  }
}

/** Makes the last folder only: a mistyped path must not become a new database somewhere else. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (!existsSync(parent)) throw new Error(`there is no folder ${parent}`);
  mkdirSync(folder);
}

async function openFile(file: string): Promise<Database> {
  // People's data: for its owner only, and so are the files that SQLite puts beside it.
  closeSync(openSync(file, 'a', 0o600));
  const writer = await connect(file, writerCacheKib);
  await markAsOurs(writer);
  await writer.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;');
  const readers = await Promise.all(
    Array.from({ length: readerCount }, async () => {
      const connection = await connect(file, readerCacheKib);
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

  const transaction: Transaction = {
    dialect: sqliteDialect,
    all: writing.all,
    get: writing.get,
    run: writing.run,
    batch: (asked) => runBatch(writing, asked),
  };

  /** Effects waiting for their turn, in the order asked. */
  const waiting: WaitingEffect[] = [];
  let committing: Promise<void> | undefined;

  function write<T>(effect: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.push({ effect, resolve: resolve as (result: unknown) => void, reject, asked: performance.now() });
      committing ??= commitWaiting();
    });
  }

  async function commitWaiting(): Promise<void> {
    while (waiting.length > 0) await commitTogether();
    committing = undefined;
  }

  /**
   * One transaction for the effects that wait now, each in a savepoint: an effect that fails takes only itself back. If
   * the process stops before the commit, none of them happened, and no one was answered.
   */
  async function commitTogether(): Promise<void> {
    try {
      await begin(Math.max(0, busyMilliseconds - (performance.now() - waiting[0]!.asked)));
    } catch (error) {
      return waiting.shift()!.reject(error);
    }
    const began = performance.now();
    const stored: { readonly effect: WaitingEffect; readonly result: unknown }[] = [];
    const abandon = async (error: unknown) => {
      // A transaction that broke may have rolled back by itself; the second ROLLBACK then has nothing to do and says so.
      await writing.run('ROLLBACK').catch(() => undefined);
      const reason = unavailable(error);
      const gone = reason instanceof DatabaseUnavailable ? reason : new DatabaseUnavailable('io', { cause: error });
      for (const { effect } of stored) effect.reject(gone);
    };
    do {
      const next = waiting.shift()!;
      // Alone, it needs no savepoint: what it takes back is the whole transaction.
      const alone = stored.length === 0 && waiting.length === 0;
      try {
        if (!alone) await writing.run('SAVEPOINT effect');
        const result = await next.effect(transaction);
        if (!alone) await writing.run('RELEASE effect');
        stored.push({ effect: next, result });
      } catch (error) {
        next.reject(unavailable(error));
        if (alone) return abandon(error);
        try {
          await writing.run('ROLLBACK TO effect');
          await writing.run('RELEASE effect');
        } catch {
          return abandon(error);
        }
      }
    } while (waiting.length > 0 && stored.length < groupSize && performance.now() - began < groupMilliseconds);
    try {
      await writing.run('COMMIT');
    } catch (error) {
      return abandon(error);
    }
    for (const { effect, result } of stored) effect.resolve(result);
  }

  async function begin(left: number): Promise<void> {
    try {
      if (left < busyMilliseconds - 1_000) await writer.exec(`PRAGMA busy_timeout=${Math.ceil(left)}`);
      await writing.run('BEGIN IMMEDIATE');
    } catch (error) {
      throw unavailable(error);
    } finally {
      if (left < busyMilliseconds - 1_000) await writer.exec(`PRAGMA busy_timeout=${busyMilliseconds}`);
    }
  }

  const anyReader: Reader = {
    dialect: sqliteDialect,
    all: <R extends object = Row>(sql: string, parameters?: Parameters) =>
      reader()
        .all<R>(sql, parameters)
        .catch((error) => {
          throw unavailable(error);
        }),
    get: <R extends object = Row>(sql: string, parameters?: Parameters) =>
      reader()
        .get<R>(sql, parameters)
        .catch((error) => {
          throw unavailable(error);
        }),
  };
  return {
    ...anyReader,
    line: anyReader,
    write,
    batch: (asked) =>
      write((tx) => tx.batch(asked)).catch((error: unknown) => {
        // Somebody inserted the same key first: what the batch rests on has changed.
        if (isUniqueViolation(error)) return undefined;
        throw error;
      }),
    together: (batches) =>
      write(() => runGroup(writing, groupOf(batches))).catch((error: unknown) => {
        if (isUniqueViolation(error)) return false;
        throw error;
      }),
    async migrate(migrations: readonly Migration[]) {
      await writer.exec(createMigrationTable);
      while (await write((tx) => applyNextMigration(tx, migrations)));
    },
    ping: () =>
      reader()
        .get('SELECT 1 AS one')
        .then(
          () => true,
          () => false,
        ),
    async close() {
      await committing;
      await Promise.all([writing, ...reading].map((statement) => statement.finalize()));
      // The last connection to close moves the log into the file: it must find itself alone. Connections that close
      // at the same time can each find the other, and the log stays.
      for (const reader of readers) await reader.close();
      await writer.close();
      await markAsCompleteIfLast(file);
    },
  };
}

export async function connect(file: string, cacheKib: number): Promise<Connection> {
  const connection = await open({ filename: file, driver: SqliteDriver });
  await connection.exec(`PRAGMA busy_timeout=${busyMilliseconds}; PRAGMA cache_size=-${cacheKib};`);
  return connection;
}

/** Prepared statements of one connection, kept by their text. */
export function statements(connection: Connection): Omit<Transaction, 'batch'> & { finalize(): Promise<void> } {
  const prepared = new Map<string, Promise<{ statement: Statement; named: NamedStatement }>>();
  const prepare = (sql: string) => {
    let known = prepared.get(sql);
    if (known === undefined) {
      const named = parseNamedParameters(sql);
      known = connection.prepare(sql).then((statement) => ({ statement, named }));
      known.catch(() => prepared.delete(sql));
      prepared.set(sql, known);
    }
    return known;
  };
  const bind = (named: NamedStatement, parameters: Parameters) => {
    const values = valuesOf(named, parameters);
    return Object.fromEntries(named.names.map((name, index) => [`:${name}`, values[index]]));
  };
  // Always `all`: `get` would leave the statement open, and with it a read transaction that keeps the WAL from being
  // checkpointed.
  const all = async <R extends object = Row>(sql: string, parameters: Parameters = {}): Promise<R[]> => {
    const { statement, named } = await prepare(sql);
    return statement.all<R[]>(bind(named, parameters));
  };
  return {
    dialect: sqliteDialect,
    all,
    get: async <R extends object = Row>(sql: string, parameters?: Parameters): Promise<R | undefined> =>
      (await all<R>(sql, parameters))[0],
    async run(sql, parameters = {}) {
      const { statement, named } = await prepare(sql);
      return (await statement.run(bind(named, parameters))).changes ?? 0;
    },
    async finalize() {
      for (const one of prepared.values())
        await one.then(
          ({ statement }) => statement.finalize(),
          () => undefined,
        );
    },
  };
}

function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === 'SQLITE_CONSTRAINT' && /UNIQUE constraint failed/.test(message ?? '');
}

function unavailable(error: unknown): unknown {
  const code = (error as { code?: string }).code ?? '';
  if (code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED') return new DatabaseUnavailable('busy', { cause: error });
  if (code === 'SQLITE_FULL') return new DatabaseUnavailable('full', { cause: error });
  if (code === 'SQLITE_IOERR' || code === 'SQLITE_READONLY' || code === 'SQLITE_CANTOPEN')
    return new DatabaseUnavailable('io', { cause: error });
  return error;
}

/**
 * Looks at the header (https://www.sqlite.org/fileformat.html §1.3) without opening the file, so that a stranger's file
 * stays untouched.
 */
export function refuseForeignFile(file: string): void {
  if (!existsSync(file) || statSync(file).size === 0) return;
  const header = Buffer.alloc(100);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, header, 0, 100, 0);
  } finally {
    closeSync(handle);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0')
    throw new SchemaUnknown(`${file} is not an SQLite database`);
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  if (statSync(file).size < pages * pageSize)
    throw new SchemaUnknown(`${file} is shorter than its header says: restore it from a backup`);
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
