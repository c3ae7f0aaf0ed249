/**
 * The one way to a database, the same on SQLite and PostgreSQL.
 *
 * SQL is written once, by hand, with named parameters (`:name`). Both drivers know RETURNING, ON CONFLICT, partial
 * indexes, CTEs and row values. Every difference is a named capability of {@link Dialect}, read while composing SQL; no
 * caller asks which driver it talks to.
 *
 * Column types used everywhere: ids and instants (milliseconds since 1970, UTC) are whole numbers, local dates and JSON
 * are text, switches are 0 or 1, bytes are `Uint8Array`. A number read from the database is always a JavaScript number
 * within ±2^53.
 */

import type { Change } from './table.js';

export type Value = string | number | Uint8Array | null;
export type Parameters = Readonly<Record<string, Value>>;
export type Row = Record<string, unknown>;

/** Reads. Statements are prepared once per connection and kept. */
export interface Reader {
  readonly dialect: Dialect;
  /** All rows of the answer. The row type is the caller's word: it is written beside the SQL. */
  all<R extends object = Row>(sql: string, parameters?: Parameters): Promise<R[]>;
  /** The first row, or undefined. */
  get<R extends object = Row>(sql: string, parameters?: Parameters): Promise<R | undefined>;
}

/** The identity of a reader, so that it neither takes all connections nor outlives its request. */
export interface Asker {
  /** Reads of a tenant leave a connection for those of others; undefined if no tenant is known. */
  readonly tenant: string | undefined;
  /**
   * When it is aborted, nothing more is read, and PostgreSQL ends the running statement. The reads throw its reason.
   */
  readonly signal: AbortSignal;
}

/** Writes by table; see `table.ts`, whose functions make the changes. */
export interface Writer {
  readonly dialect: Dialect;
  /** @returns the number of changed rows, and the rows as stored if the change asks for them */
  change(change: Change): Promise<Changed>;
}

export interface Changed {
  readonly count: number;
  readonly rows: readonly Row[];
}

/** One open transaction. It sees its own writes; no one else does until `write` has resolved. */
export interface Transaction extends Reader, Writer {
  /** Runs a statement written by hand. @returns the number of changed rows */
  run(sql: string, parameters?: Parameters): Promise<number>;
  /**
   * Sends a change whose answer the effect does not need. It goes out before COMMIT, which fails if the change fails.
   */
  send(change: Change): void;
}

export interface Database extends Reader {
  /** @throws {DatabaseUnavailable} `busy`: other reads of the tenant take too long */
  readsOf(asker: Asker): Reader;
  /**
   * Runs `effect` in one transaction and commits it. If `effect` throws, nothing of it stays and the error goes to the
   * caller. Once a statement has failed, no later one of the effect runs, even if the effect goes on, and the write
   * fails: the database may have ended the transaction. SQLite: one writer at a time (BEGIN IMMEDIATE), statements run
   * in the order sent. PostgreSQL: READ COMMITTED; statements sent without awaiting the one before share a round trip,
   * the first reads with BEGIN, the last changes with COMMIT. An effect that fails with a deadlock, a serialization
   * failure or {@link RunAgain} runs again from its beginning.
   *
   * @throws {DatabaseUnavailable} the database is locked, full, gone or refuses the write: nothing was stored and the
   * caller may try again.
   */
  write<T>(effect: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Brings the schema to the newest version: forward only, each migration in a transaction of its own, safe to kill at
   * any point.
   */
  migrate(migrations: readonly Migration[]): Promise<void>;
  /** True if the database answers. SQLite: and no damaged page was met. */
  ping(): Promise<boolean>;
  /** Reports files of an open SQLite database that were moved, replaced or removed, in a sentence. */
  findLoss?(): Promise<string | undefined>;
  /** Short texts between the processes that share the database; absent where there is only one process. */
  openSignals?(listener: SignalListener): Signals;
  close(): Promise<void>;
}

export interface SignalListener {
  /** A text of another process, or of this one. */
  onMessage(text: string): void;
  /** Texts arrive from now on. Texts sent since the connection was lost are lost. */
  onConnect(): void;
}

export interface Signals {
  /** Resolves when the first attempt to connect has succeeded or failed; texts sent earlier are not received. */
  readonly opened: Promise<void>;
  /** Sends a text of up to 7,999 bytes to every process. Resolves when it is sent, or lost with the connection. */
  send(text: string): Promise<void>;
  close(): Promise<void>;
}

/** The differences of the two databases, by capability. Values are SQL fragments. */
export interface Dialect {
  /** Column definition of a primary key that numbers itself and never gives a number twice. */
  readonly identity: string;
  /** Column type of a whole number up to 2^53. */
  readonly integer: string;
  /** Column type of bytes. */
  readonly bytes: string;
  /**
   * Suffix of a SELECT that locks the rows it read until the transaction ends; empty if a transaction is the only
   * writer anyway.
   */
  readonly forUpdate: string;
  /**
   * Suffix of a SELECT that locks rows of these tables against other writers, but not against rows that refer to them.
   * A write that may change such a row later takes this instead of {@link forShare}: two that share it would wait for
   * each other.
   */
  forNoKeyUpdate(tables: string): string;
  /**
   * Suffix of a SELECT: rows of these tables stay as they are until the transaction ends. Others may lock them likewise
   * meanwhile. Empty on SQLite.
   */
  forShare(tables: string): string;
  /** As {@link forShare}, but against removing and {@link forUpdate} alone. */
  forKeyShare(tables: string): string;
  /** Suffix of FOR UPDATE that passes over rows another transaction holds; empty on SQLite. */
  readonly forUpdateSkipLocked: string;
  /** Words before TABLE for rows that may be lost at a crash of the database server (rate limits, leases). */
  readonly unlogged: string;
  /**
   * The rows of a JSON array of objects, for FROM, with these columns and the types they have in a table. One statement
   * then serves any number of rows.
   */
  jsonRows(table: string, columns: readonly string[], parameter: string): string;
  /** An expression in a transaction: a number that the {@link identity} of a table gives to no other row. */
  nextIdentity(table: string): string;
  /**
   * Statements after which a table with an {@link identity} goes on with the number after `last`, which is 1 or more.
   */
  setLastIdentity(table: string, last: number): readonly string[];
  /** Statements that make a table refuse UPDATE and DELETE. */
  appendOnly(table: string): readonly string[];
  /** The existing tables, each as `name`; for FROM. */
  readonly tables: string;
  /** The order of transactions. */
  readonly order: TransactionOrder;
}

/** Transactions have numbers; a reader can tell below which number every transaction has ended. */
export interface TransactionOrder {
  /** Statements of the schema on which the others rest. */
  readonly schema: readonly string[];
  /**
   * A statement that answers the `number` of this transaction and the `server` that gave it. Numbers of one server rise
   * and are never given twice to transactions that committed. Another server may give the same numbers again.
   */
  readonly number: string;
  /** An expression: every transaction with a smaller number has ended, as seen by the statement that contains it. */
  readonly horizon: string;
}

export interface Migration {
  /**
   * `0001-companies`: unique. A new one sorts after all others of its product, so that it is applied last everywhere.
   */
  readonly id: string;
  /** The statements, composed for a dialect. */
  readonly statements: (dialect: Dialect) => readonly string[];
}

/** The effect of a transaction cannot stand, and may succeed when it runs again from its beginning. */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';
  /** The code of a serialization failure. */
  readonly code = '40001';
}

/** The database cannot do this now. Nothing was stored. `reason` is for the log. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  constructor(
    readonly reason: 'busy' | 'full' | 'gone' | 'io' | 'damaged',
    options?: ErrorOptions,
  ) {
    super(`database unavailable: ${reason}`, options);
  }
}
