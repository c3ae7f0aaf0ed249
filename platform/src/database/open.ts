/** Opens the database that the configuration names. */
import { existsSync } from 'node:fs';
import { fileFault } from '../file-fault.js';
import type { Database } from './database.js';
import { SchemaUnknown } from './migrate.js';
import { DatabaseInUse, IncompleteCopy, refuseIncompleteCopy } from './sqlite-owner.js';

export interface DatabaseSettings {
  readonly driver: 'sqlite' | 'postgres';
  /** A file path for SQLite, a connection string for PostgreSQL. */
  readonly dsn: string;
  /** Connections to PostgreSQL; default 10. */
  readonly poolSize?: number;
  /** How long a statement waits for one of them; default five seconds. */
  readonly poolWaitMilliseconds?: number;
  /** This process serves from the database: on SQLite the only one. */
  readonly own?: boolean;
}

/**
 * @throws {SchemaUnknown} the SQLite file is damaged or another program's; it is left as it is
 * @throws {DatabaseInUse} the SQLite file has its process; only with `own`
 * @throws {IncompleteCopy} the SQLite file was copied without its `-wal` file; only with `own`
 * @throws {CannotOpen} the file cannot be read, written or made; or a pooler shares connections, only with `own`
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  // A process loads the driver it uses, and not the other.
  if (settings.driver === 'postgres') {
    const { openPostgres } = await import('./postgres.js');
    if (settings.own === true) {
      const { connectProbe, sharesConnections } = await import('./postgres-pooler.js');
      if (await sharesConnections(() => connectProbe(settings.dsn)))
        throw new CannotOpen(
          'a pooler shares the connections of this address between clients (transaction mode); connect to PostgreSQL directly, or to a pool in session mode',
        );
    }
    return openPostgres(settings.dsn, settings);
  }
  const { openSqlite } = await import('./sqlite.js');
  return openSqlite(settings.dsn, { own: settings.own ?? false }).catch((error: unknown) => {
    throw error instanceof SchemaUnknown || error instanceof DatabaseInUse || error instanceof IncompleteCopy
      ? error
      : new CannotOpen(
          fileFault(error) ??
            `${settings.dsn} cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
  });
}

/**
 * For commands, which look at what is there: a mistyped path must not become a new, empty database. @throws
 * {CannotOpen} there is no such file; {IncompleteCopy} it lacks what was written last
 */
export async function openExistingDatabase(settings: DatabaseSettings): Promise<Database> {
  if (settings.driver === 'sqlite' && !existsSync(settings.dsn))
    throw new CannotOpen(`there is no database at ${settings.dsn}`);
  if (settings.driver === 'sqlite') refuseIncompleteCopy(settings.dsn);
  return openDatabase(settings);
}

export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
}
