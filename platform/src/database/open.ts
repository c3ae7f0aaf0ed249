/** Opens the database that the configuration names. */
import { existsSync } from 'node:fs';
import { poolWait } from '../deadlines.js';
import { fileFault } from '../file-fault.js';
import { type Database, DatabaseUnavailable } from './database.js';
import { SchemaUnknown } from './migrate.js';
import { DatabaseInUse } from './sqlite-owner.js';

export interface DatabaseSettings {
  readonly driver: 'sqlite' | 'postgres';
  /** A file path for SQLite, a connection string for PostgreSQL. */
  readonly dsn: string;
  /** Connections to PostgreSQL; default 10. A third of them is for reads alone. */
  readonly poolSize?: number;
  /**
   * Longest wait of a statement for one of them, and of a write to SQLite for another process; default five seconds.
   */
  readonly poolWaitMilliseconds?: number;
  /** Longest transaction on PostgreSQL 17 and later; default unlimited. */
  readonly maxTransactionMs?: number;
  /** This process serves from the database: on SQLite the only one. */
  readonly exclusive?: boolean;
}

/**
 * @throws {SchemaUnknown} the SQLite file is another program's; it is left as it is
 * @throws {DatabaseUnavailable} it is damaged
 * @throws {DatabaseInUse} the SQLite file has its process; only with `exclusive`
 * @throws {CannotOpen} the file cannot be read, written or made
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  // A process loads the driver it uses, and not the other.
  if (settings.driver === 'postgres') {
    const { openPostgres } = await import('./postgres.js');
    return openPostgres(settings.dsn, settings);
  }
  const { openSqlite } = await import('./sqlite.js');
  const { exclusive = false, poolWaitMilliseconds: waitMilliseconds = poolWait } = settings;
  return openSqlite(settings.dsn, { exclusive, waitMilliseconds }).catch((error: unknown) => {
    throw [SchemaUnknown, DatabaseInUse, DatabaseUnavailable].some((fault) => error instanceof fault)
      ? error
      : cannotOpen(settings.dsn, error);
  });
}

/**
 * For commands, which look at the present state: a mistyped path must not become a new, empty database.
 * @throws {CannotOpen}
 */
export async function openExistingDatabase(settings: DatabaseSettings): Promise<Database> {
  if (settings.driver === 'sqlite' && !existsSync(settings.dsn))
    throw new CannotOpen(`there is no database at ${settings.dsn}`);
  return openDatabase(settings);
}

export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
}

/** The fault with its sentence for the operator. @param error what the driver, or a check of the file, threw */
export function cannotOpen(file: string, error: unknown): CannotOpen {
  const sentence =
    fileFault(error) ?? `${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
  return new CannotOpen(sentence, { cause: error });
}
