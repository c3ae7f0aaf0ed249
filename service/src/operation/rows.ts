/** Every statement of the commands: about the database as a whole, and any table of it. */
import type { Reader, Transaction, Value } from '@clockproof/platform/database/database';

export const findInstallation = (reader: Reader) =>
  reader.get<{ secret: Uint8Array }>('SELECT secret FROM installation WHERE one = 1');

/** The last number of the commit sequence. */
export const readSequence = async (reader: Reader): Promise<number | undefined> =>
  (await reader.get<{ sequence: number }>('SELECT sequence FROM event_head WHERE one = 1'))?.sequence;

/** Whether this database was ever used with a `DATA_KEY`. */
export const hasDataKey = async (reader: Reader): Promise<boolean> =>
  (await reader.get('SELECT 1 AS one FROM data_keys UNION SELECT 1 AS one FROM data_key_check')) !== undefined;

export const findEntryInstant = async (reader: Reader, sequence: number): Promise<number | undefined> =>
  (await reader.get<{ at: number }>('SELECT at FROM audit_entries WHERE sequence = :sequence', { sequence }))?.at;

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
  };
}

export async function describeServer(reader: Reader): Promise<Server> {
  if (reader.dialect.name === 'sqlite') return (await reader.get<Server>('SELECT sqlite_version() AS version'))!;
  const { version, ...postgres } = (await reader.get<{ version: string; number: number; now: number; left: number }>(
    `SELECT current_setting('server_version') AS version, CAST(current_setting('server_version_num') AS BIGINT) AS number,
       CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now,
       CAST(current_setting('max_connections') AS BIGINT) - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS left`,
  ))!;
  return { version, postgres };
}

/** For the metrics: what waits in the whole installation, and since when. */
export const readWaiting = async (
  reader: Reader,
): Promise<{
  readonly audit_entries: number;
  readonly deliveries: number;
  readonly oldest_delivery: number | null;
  readonly disabled_endpoints: number;
  readonly mails: number;
  readonly oldest_mail: number | null;
}> =>
  (await reader.get(
    `SELECT (SELECT sequence FROM audit_head WHERE one = 1) AS audit_entries, d.n AS deliveries, d.oldest AS oldest_delivery,
       (SELECT count(*) FROM webhook_endpoints WHERE disabled_at IS NOT NULL) AS disabled_endpoints,
       m.n AS mails, m.oldest AS oldest_mail
     FROM (SELECT count(*) AS n, min(created_at) AS oldest FROM webhook_deliveries WHERE state = 'pending') d,
       (SELECT count(*) AS n, min(created_at) AS oldest FROM mail_outbox WHERE state = 'waiting') m`,
  ))!;
