/** The server of a database, for those who look after it. */
import type { Reader, Transaction } from './database.js';
import { isPostgres } from './postgres.js';

/** A database's own description. */
export interface Server {
  readonly version: string;
  /** Absent on SQLite. */
  readonly postgres?: {
    /** `150004` for 15.4. */
    readonly number: number;
    /** Milliseconds since 1970, by its clock. */
    readonly now: number;
    /** Connections that are possible beside those that are open. */
    readonly left: number;
    /** How many connections the role of the service may have; -1: any number. */
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
 * For how many seconds the oldest transaction that is still writing in this database has lasted. Nobody
 * reads what has a later place. A role that may not see the sessions of others does not see when theirs began.
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

/** Statements of this transaction take as long as they take. */
export async function liftStatementTimeout(tx: Transaction): Promise<void> {
  if (isPostgres(tx.dialect)) await tx.run('SET LOCAL statement_timeout = 0');
}
