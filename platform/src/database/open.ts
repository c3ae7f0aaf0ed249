/** Opens the database that the configuration names. */
import type { Database } from './database.js';
import { openPostgres } from './postgres.js';
import { openSqlite } from './sqlite.js';

export interface DatabaseSettings {
  readonly driver: 'sqlite' | 'postgres';
  /** A file path for SQLite, a connection string for PostgreSQL. */
  readonly dsn: string;
  /** Connections to PostgreSQL; default 10. */
  readonly poolSize?: number;
}

/** @throws {SchemaUnknown} the SQLite file is damaged or another program's; it is left as it is. */
export function openDatabase(settings: DatabaseSettings): Promise<Database> {
  return settings.driver === 'sqlite'
    ? openSqlite(settings.dsn)
    : openPostgres(settings.dsn, settings.poolSize === undefined ? {} : { poolSize: settings.poolSize });
}
