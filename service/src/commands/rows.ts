/** Every statement of the commands: about the database as a whole, and any table of it. */
import type { Reader, Transaction, Value } from '@clockproof/platform/database/database';

export const findInstallation = (reader: Reader) =>
  reader.get<{ secret: Uint8Array }>('SELECT secret FROM installation WHERE one = 1');

/** Whether this database was ever used with a `DATA_KEY`. */
export const hasDataKey = async (reader: Reader): Promise<boolean> =>
  (await reader.get('SELECT 1 AS one FROM data_keys LIMIT 1')) !== undefined;

export const findNewestEntry = (reader: Reader): Promise<{ readonly at: number } | undefined> =>
  reader.get('SELECT at FROM audit_entries ORDER BY sequence DESC LIMIT 1');

export const countRows = async (reader: Reader, table: string): Promise<number> =>
  (await reader.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))!.n;

/** Rows that migrations insert. Tables that refuse to lose rows have none. */
export async function removeSeeds(tx: Transaction, table: string): Promise<void> {
  if ((await tx.get(`SELECT 1 AS one FROM ${table} LIMIT 1`)) !== undefined) await tx.run(`DELETE FROM ${table}`);
}

export async function insertRows(
  tx: Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const parameters: Record<string, Value> = {};
  const tuples = rows.map((row, index) => {
    const names = row.map((value, place) => {
      parameters[`v${index}_${place}`] = value;
      return `:v${index}_${place}`;
    });
    return `(${names.join(', ')})`;
  });
  await tx.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples.join(', ')}`, parameters);
}

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
  if (reader.dialect.name === 'sqlite') return (await reader.get<Server>('SELECT sqlite_version() AS version'))!;
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
 * For the metrics: for how many seconds the oldest transaction that is still writing in this database has lasted. Nobody
 * reads what has a later place. A role that may not see the sessions of others does not see when theirs began.
 */
export async function secondsOfOldestWrite(reader: Reader): Promise<number> {
  if (reader.dialect.name === 'sqlite') return 0;
  const oldest = await reader.get<{ seconds: number | null }>(
    `SELECT CAST(extract(epoch FROM clock_timestamp() - min(began)) AS DOUBLE PRECISION) AS seconds
     FROM (SELECT xact_start AS began FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND datname = current_database()
       UNION ALL SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()) AS writing`,
  );
  return oldest?.seconds ?? 0;
}

/** For the metrics: what waits in the whole installation, and since when. */
export const readWaiting = async (
  reader: Reader,
): Promise<{
  readonly audit_entries: number;
  readonly oldest_unsealed: number | null;
  readonly deliveries: number;
  readonly oldest_delivery: number | null;
  readonly disabled_endpoints: number;
  readonly mails: number;
  readonly oldest_mail: number | null;
}> =>
  (await reader.get(
    `SELECT COALESCE((SELECT max(size) FROM audit_heads), 0) AS audit_entries,
       (SELECT at FROM audit_entries WHERE sequence > COALESCE((SELECT max(last) FROM audit_heads), 0) ORDER BY sequence LIMIT 1) AS oldest_unsealed,
       d.n AS deliveries, d.oldest AS oldest_delivery,
       (SELECT count(*) FROM webhook_endpoints WHERE disabled_at IS NOT NULL) AS disabled_endpoints,
       m.n AS mails, m.oldest AS oldest_mail
     FROM (SELECT count(*) AS n, min(created_at) AS oldest FROM webhook_deliveries WHERE state = 'pending') d,
       (SELECT count(*) AS n, min(created_at) AS oldest FROM mail_outbox WHERE state = 'waiting') m`,
  ))!;
