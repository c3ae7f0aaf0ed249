/**
 * A database as lines of JSON, the same for both drivers: a head, each table with its rows, an end with counts and a
 * checksum. It is a consistent look at one instant, and the service goes on meanwhile.
 *
 * It holds the keys of the database as they are stored, sealed with `DATA_KEY`, and never `DATA_KEY`.
 */
import { createHash, createHmac } from 'node:crypto';
import { refuseUnmigrated } from '@clockproof/platform/database/migrate';
import type { DatabaseSettings } from '@clockproof/platform/database/open';
import { openSnapshot, type Snapshot, type SnapshotTable } from '@clockproof/platform/database/snapshot';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { readHead } from '../store/audit/rows.js';
import { migrations } from '../store/migrations/migrations.js';
import { version } from '../version.js';
import { findInstallation, hasDataKey } from './rows.js';

export interface BackupHead {
  readonly kind: 'head';
  readonly version: string;
  readonly created_at: string;
  /** The migrations of the database. */
  readonly schema: readonly string[];
  /** Different for each installation, the same in all its backups. */
  readonly installation: string;
  readonly audit_head: { readonly size: number; readonly root: string };
  /** True if the rows need `DATA_KEY`. */
  readonly has_data_key: boolean;
}

export interface TableHead {
  readonly kind: 'table';
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns whose values are bytes, as base64. */
  readonly bytes: readonly string[];
  /** See `SnapshotTable`. */
  readonly last_identity?: number | undefined;
}

export interface BackupEnd {
  readonly kind: 'end';
  /** Rows, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** SHA-256 of all lines before, each with its line feed. */
  readonly sha256: string;
}

/** Not the installation's: the record of migrations, numbers of this file, and limits that a restart forgets anyway. */
const excludedTables = ['schema_migrations', 'transaction_number', 'rate_limits'];

/** @throws {SchemaUnknown} not of this version @throws {CannotOpen} @throws {DatabaseUnavailable} */
export async function* exportDatabase(settings: DatabaseSettings, at: Instant): AsyncGenerator<string> {
  const snapshot = await openSnapshot(settings);
  try {
    await refuseUnmigrated(snapshot, migrations);
    const hash = createHash('sha256');
    const line = (value: object) => {
      const text = JSON.stringify(value);
      hash.update(`${text}\n`);
      return text;
    };
    yield line(await headOf(snapshot, at));
    const rows: Record<string, number> = {};
    for (const table of await listTables(snapshot)) {
      yield line(tableHead(table));
      rows[table.name] = 0;
      for await (const page of snapshot.pages(table)) {
        rows[table.name]! += page.length;
        for (const row of page) yield line(table.columns.map(({ name }) => presentValue(row[name])));
      }
    }
    yield JSON.stringify({ kind: 'end', rows, sha256: hash.digest('hex') } satisfies BackupEnd);
  } finally {
    await snapshot.close();
  }
}

async function listTables(snapshot: Snapshot): Promise<SnapshotTable[]> {
  const tables = (await snapshot.tables()).filter(({ name }) => !excludedTables.includes(name));
  // The keys first, so that a restore with another `DATA_KEY` is refused at once.
  const isKey = ({ name }: SnapshotTable) => name === 'data_keys';
  return [...tables.filter(isKey), ...tables.filter((table) => !isKey(table))];
}

async function headOf(snapshot: Snapshot, at: Instant): Promise<BackupHead> {
  const installation = await findInstallation(snapshot);
  const { size, root } = await readHead(snapshot);
  return {
    kind: 'head',
    version,
    created_at: formatInstant(at),
    schema: migrations.map(({ id }) => id),
    installation: createHmac('sha256', installation?.secret ?? new Uint8Array())
      .update('clockproof installation id')
      .digest('hex')
      .slice(0, 16),
    audit_head: { size, root },
    has_data_key: await hasDataKey(snapshot),
  };
}

const tableHead = ({ name, columns, lastIdentity }: SnapshotTable): TableHead => ({
  kind: 'table',
  name,
  columns: columns.map((column) => column.name),
  bytes: columns.filter((column) => column.isBytes).map((column) => column.name),
  last_identity: lastIdentity,
});

const presentValue = (value: unknown) =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
    : value;
