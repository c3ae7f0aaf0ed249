/** `backup`, `restore` and `move`. */
import { existsSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { type DatabaseSettings, openDatabase, openExistingDatabase } from '@clockproof/platform/database/open';
import { findDamage } from '@clockproof/platform/database/sqlite-check';
import { damagedFile } from '@clockproof/platform/operational-error';
import type { Instant } from '@clockproof/platform/time/instant';
import { BackupFault, readBackupFile, syncFolder, writeBackupFile } from './backup-file.js';
import { type BackupHead, exportDatabase } from './export-database.js';
import { maxCheck } from './file-check.js';
import { type Imported, importDatabase } from './import-database.js';

/**
 * @returns a summary of the backup, with one line for each fact. @throws as {@link exportDatabase} and
 * {@link writeBackupFile}
 */
export async function backUp(
  settings: DatabaseSettings,
  file: string,
  { passphrase, randomBytes, at }: { passphrase: string | undefined; randomBytes: RandomBytes; at: Instant },
): Promise<string> {
  let head: BackupHead | undefined;
  let lines = 0;
  const observedLines = async function* () {
    for await (const line of exportDatabase(settings, at)) {
      head ??= JSON.parse(line) as BackupHead;
      lines++;
      yield line;
    }
  };
  if (existsSync(file)) throw new BackupFault(`${file} exists already; name a new file`);
  const [damage] = (await findDamage(settings, maxCheck)) ?? [];
  // A backup of it would take the place of a better one.
  if (damage !== undefined) throw new BackupFault(`nothing was backed up: ${damagedFile(damage)}`);
  await writeBackupFile(file, observedLines(), { passphrase, randomBytes });
  return [
    `backed up to ${file}: ${lines} lines, ${statSync(file).size} bytes, ${passphrase === undefined ? 'not encrypted' : 'encrypted'}`,
    ...describe(head!),
    ...(head!.has_data_key ? ['it does not contain DATA_KEY: store the key separately'] : []),
  ].join('\n');
}

/**
 * On SQLite the rows go into a file beside the database, which gets its name when it is complete.
 * @throws {BackupFault} @throws {WrongDataKey} @throws {CannotOpen}
 */
export async function restore(
  settings: DatabaseSettings,
  file: string,
  { passphrase, dataKey }: { passphrase: string | undefined; dataKey: Uint8Array | undefined },
): Promise<string> {
  if (!existsSync(file)) throw new BackupFault(`there is no file ${file}`);
  const lines = readBackupFile(file, passphrase);
  const result =
    settings.driver === 'sqlite'
      ? await restoreIntoFile(settings.dsn, lines, dataKey)
      : await restoreIntoServer(settings, lines, dataKey);
  return ['restored', ...report(result), 'start the service, and check the log with audit verify'].join('\n');
}

/**
 * Moves the database that the settings name to an empty one on PostgreSQL, while no process writes.
 * @throws as {@link restore}; {DatabaseInUse} the service runs on the SQLite file
 */
export async function move(
  from: DatabaseSettings,
  to: string,
  { dataKey, at }: { dataKey: Uint8Array | undefined; at: Instant },
): Promise<string> {
  // Holds the SQLite file: a write after the export would stay behind.
  const source = await openExistingDatabase({ ...from, exclusive: true });
  try {
    const result = await restoreIntoServer({ driver: 'postgres', dsn: to }, exportDatabase(from, at), dataKey);
    return [
      'moved',
      ...report(result),
      'set DB_DRIVER=postgres and DB_DSN to the new address, start the service, and keep the old database until you have checked the new one',
    ].join('\n');
  } finally {
    await source.close();
  }
}

async function restoreIntoFile(
  file: string,
  lines: AsyncGenerator<string>,
  dataKey: Uint8Array | undefined,
): Promise<Imported> {
  if (existsSync(file) && statSync(file).size > 0)
    throw new BackupFault(
      `${file} exists: restore into a new file, or move this one away with its -wal and -shm files`,
    );
  if (existsSync(`${file}-wal`)) throw new BackupFault(`${file}-wal is left of another database: move it away`);
  const temporaryFile = `${file}.restoring`;
  const remove = () =>
    Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${temporaryFile}${suffix}`, { force: true })));
  await remove();
  try {
    const result = await restoreInto({ driver: 'sqlite', dsn: temporaryFile }, lines, dataKey);
    await rename(temporaryFile, file);
    await syncFolder(dirname(file));
    return result;
  } catch (error) {
    await remove();
    throw error;
  }
}

const restoreIntoServer = restoreInto;

async function restoreInto(
  settings: DatabaseSettings,
  lines: AsyncGenerator<string>,
  dataKey: Uint8Array | undefined,
): Promise<Imported> {
  const db = await openDatabase(settings);
  try {
    return await importDatabase(db, lines, dataKey);
  } finally {
    await lines.return(undefined);
    await db.close();
  }
}

const report = ({ head, tables, rows }: Imported) => [`${rows} rows in ${tables} tables`, ...describe(head)];

const describe = ({ created_at, version, installation, audit_head: { size, root } }: BackupHead) => [
  `installation ${installation}, version ${version}, as it was at ${created_at}`,
  size === 0 ? 'the audit log is empty' : `audit log head ${size}:${root}`,
];
