/** Takes the lines of `export-database.ts` into an empty database of either driver. */
import { createHash, randomBytes } from 'node:crypto';
import type { Database, Transaction, Value } from '@clockproof/platform/database/database';
import { listApplied } from '@clockproof/platform/database/migrate';
import { liftStatementTimeout } from '@clockproof/platform/database/server';
import { readHead } from '../store/audit/rows.js';
import { migrations } from '../store/migrations/migrations.js';
import { beginEpoch } from '../store/position.js';
import { readDataKey } from '../store/sealing/data-keys.js';
import { BackupFault } from './backup-file.js';
import type { BackupEnd, BackupHead, TableHead } from './export-database.js';
import { countRows, findInstallation, insertRows, removeSeeds } from './rows.js';

export interface Imported {
  readonly head: BackupHead;
  readonly tables: number;
  readonly rows: number;
}

const rowsAtOnce = 200;

/**
 * All rows come in one transaction, which also compares counts, checksum, heads and `DATA_KEY`. If the process dies
 * before its commit, the database has tables without rows, and the import can be repeated.
 * @throws {BackupFault} the database is not empty; the backup is damaged, or of a newer version
 * @throws {WrongDataKey} `dataKey` is not the one of the backup, or is missing
 */
export async function importDatabase(
  db: Database,
  lines: AsyncIterator<string>,
  dataKey: Uint8Array | undefined,
): Promise<Imported> {
  const hash = createHash('sha256');
  const nextRecord = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done === true) throw damageFault();
    const record = parse(value);
    if (!isEnd(record)) hash.update(`${value}\n`);
    return record;
  };
  const head = readBackupHead(await nextRecord());
  await refuseOccupied(db, head);
  await db.migrate(migrations.filter(({ id }) => head.schema.includes(id)));

  let hasStarted = false;
  const result = await db.write(async (tx) => {
    // Lines can be read once only.
    if (hasStarted) throw new BackupFault('the database interrupted the restore; try again');
    hasStarted = true;
    await liftStatementTimeout(tx);
    const counts: Record<string, number> = {};
    let keysChecked = !head.has_data_key && dataKey === undefined;
    let line = await nextRecord();
    while (!isEnd(line)) {
      const table = readTableHead(line);
      // The keys stand first: an unusable backup is not read to its end.
      if (!keysChecked && table.name !== 'data_keys') {
        await readDataKey(tx, dataKey, randomBytes);
        keysChecked = true;
      }
      await removeSeeds(tx, table.name);
      counts[table.name] = 0;
      let page: Value[][] = [];
      for (line = await nextRecord(); Array.isArray(line); line = await nextRecord()) {
        if (line.length !== table.columns.length) throw damageFault();
        page.push(valuesOf(table, line));
        counts[table.name]!++;
        if (page.length === rowsAtOnce) {
          await takeRows(tx, table, page);
          page = [];
        }
      }
      for (const row of page) await takeRows(tx, table, [row]);
      if ((table.last_identity ?? 0) > 0)
        for (const statement of tx.dialect.setLastIdentity(table.name, table.last_identity!)) await tx.run(statement);
    }
    if (line.sha256 !== hash.digest('hex') || JSON.stringify(line.rows) !== JSON.stringify(counts)) throw damageFault();
    await compareHeads(tx, head);
    for (const [name, count] of Object.entries(counts)) {
      const n = await countRows(tx, name);
      if (n !== count) throw new BackupFault(`${name} has ${n} rows after the import, and ${count} in the backup`);
    }
    // Places of the other server mean nothing here, and those it gave after the backup are lost.
    await beginEpoch(tx, 'restored or moved');
    return {
      head,
      tables: Object.keys(counts).length,
      rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
    };
  });
  if ((await lines.next()).done !== true) throw damageFault();
  return result;
}

async function refuseOccupied(db: Database, head: BackupHead): Promise<void> {
  const migrations = await listApplied(db);
  if (migrations.size === 0) return;
  if ([...migrations].some((id) => !head.schema.includes(id)))
    throw new BackupFault('the database is not empty: another version has made its tables; create a new one');
  const isOccupied = migrations.has('0001-baseline') && (await findInstallation(db)) !== undefined;
  if (isOccupied) throw new BackupFault('the database is not empty: an installation is in it; create a new one');
}

function readBackupHead(line: unknown): BackupHead {
  const head = line as BackupHead;
  if (head?.kind !== 'head' || !Array.isArray(head.schema)) throw damageFault();
  const unknown = head.schema.filter((id) => !migrations.some((migration) => migration.id === id));
  if (unknown.length > 0)
    throw new BackupFault(
      `the backup was made by version ${head.version}, which is newer; restore it with that version`,
    );
  return head;
}

/** Names go into SQL. */
const isName = (name: unknown) => typeof name === 'string' && /^[a-z][a-z0-9_]{0,62}$/.test(name);

function readTableHead(line: unknown): TableHead {
  const table = line as TableHead;
  if (
    table?.kind !== 'table' ||
    ![table.name, ...table.columns, ...table.bytes].every(isName) ||
    !Number.isSafeInteger(table.last_identity ?? 0)
  )
    throw damageFault();
  return table;
}

/** Values as the database takes them. */
const valuesOf = ({ columns, bytes }: TableHead, row: readonly unknown[]): Value[] =>
  row.map((value, place) =>
    value !== null && bytes.includes(columns[place]!) ? Buffer.from(String(value), 'base64') : (value as Value),
  );

/** @throws {BackupFault} a row refers to one that is missing, or is otherwise none that could have been backed up */
async function takeRows(tx: Transaction, { name, columns }: TableHead, rows: readonly Value[][]): Promise<void> {
  try {
    await insertRows(tx, name, columns, rows);
  } catch (error) {
    // SQLite, and class 23 of SQLSTATE.
    throw /^(SQLITE_CONSTRAINT|23...)$/.test((error as { code?: string }).code ?? '') ? damageFault() : error;
  }
}

async function compareHeads(tx: Transaction, head: BackupHead): Promise<void> {
  const { size, root } = await readHead(tx);
  if (size !== head.audit_head.size || root !== head.audit_head.root) throw damageFault();
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw damageFault();
  }
}

const isEnd = (line: unknown): line is BackupEnd => (line as BackupEnd | null)?.kind === 'end';
const damageFault = () => new BackupFault('the backup is damaged');
