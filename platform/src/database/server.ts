/** The server of a database, for its operators. */
import type { Reader, Transaction } from './database.js';
import { isPostgres } from './postgres.js';

/** A database's own description. */
export interface Server {
  readonly version: string;
  /** Details of PostgreSQL; absent on SQLite. */
  readonly postgres?: {
    /** `150004` for 15.4. */
    readonly number: number;
    /** Milliseconds since 1970, by its clock. */
    readonly now: number;
    /** Connections that are still possible. */
    readonly left: number;
    /** The connection limit of the service's role; -1: no limit. */
    readonly limit: number;
    /** Names of transactions that were prepared here more than a minute ago and neither committed nor rolled back. */
    readonly prepared: string | null;
  };
}

export async function describeServer(reader: Reader): Promise<Server> {
  if (!isPostgres(reader.dialect)) return (await reader.get<Server>('SELECT sqlite_version() AS version'))!;
  const { version, ...postgres } = (await reader.get<{ version: string } & Server['postgres']>(
    `SELECT current_setting('server_version') AS version, CAST(current_setting('server_version_num') AS BIGINT) AS number,
       CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now,
       CAST(current_setting('max_connections') AS BIGINT) - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS left,
       (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS limit,
       (SELECT string_agg(gid, ', ' ORDER BY prepared) FROM pg_prepared_xacts
          WHERE database = current_database() AND prepared < clock_timestamp() - interval '1 minute') AS prepared`,
  ))!;
  return { version, postgres };
}

/**
 * Age, in seconds, of the oldest transaction that is still writing in this database. Nobody reads rows with a later
 * place. A role that may not see the sessions of others does not see their beginnings.
 */
export async function secondsOfOldestWrite(reader: Reader): Promise<number> {
  if (!isPostgres(reader.dialect)) return 0;
  const oldest = await reader.get<{ seconds: number | null }>(
    `SELECT CAST(extract(epoch FROM clock_timestamp() - min(began)) AS DOUBLE PRECISION) AS seconds
     FROM (SELECT xact_start AS began FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND datname = current_database()
       UNION ALL SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()) AS writing`,
  );
  return oldest?.seconds ?? 0;
}

/** Removes the limit for the duration of statements in this transaction. */
export async function liftStatementTimeout(tx: Transaction): Promise<void> {
  if (isPostgres(tx.dialect)) await tx.run('SET LOCAL statement_timeout = 0');
}
