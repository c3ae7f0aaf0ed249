/** Every statement of the commands: about the database as a whole, and any table of it. */
import type { Reader, Transaction, Value } from '@clockproof/platform/database/database';
import type { CompanyRow } from '../people/rows.js';

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

/** For the metrics: waiting work in the whole installation, and its age. */
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

export function listActiveCompanies(reader: Reader, limit: number): Promise<Pick<CompanyRow, 'id' | 'name'>[]> {
  return reader.all('SELECT id, name FROM companies WHERE active = 1 ORDER BY id LIMIT :limit', { limit });
}
