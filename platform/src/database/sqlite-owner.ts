/**
 * One serving process per SQLite file, and copies that lack what was written last.
 *
 * While a process serves, the newest writes are in the `-wal` file beside the database. A copy of the main file alone
 * opens without an error and lacks them, so the main file says whether it is in use (header field user_version): in use
 * without a `-wal` file means an incomplete copy.
 */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { Database as Driver } from '@appthreat/sqlite3';
import { open } from 'sqlite';

/** "CLKP": marks the file as ours (SQLite header field application_id). */
export const applicationId = 0x434c4b50;
const inUse = 1;
const notInUse = 0;
/** A copy of the main file is at most this much older than the database. */
const checkpointMilliseconds = 30_000;

/** Another process serves from this file. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/** The file was copied without its `-wal` file while a process was serving from it. */
export class IncompleteCopy extends Error {
  override readonly name = 'IncompleteCopy';
}

/** Calls `action` from time to time. @returns ends it */
export type Repeat = (action: () => Promise<void>) => () => void;

const everyHalfMinute: Repeat = (action) => {
  const timer = setInterval(() => void action(), checkpointMilliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

export interface Ownership {
  /** Marks the file as in use and keeps moving the `-wal` file's content into it. Call it when the file is open. */
  begin(): Promise<void>;
  /** Closes the file by `close`, which closes every other connection, and gives it back. */
  end(close: () => Promise<void>): Promise<void>;
}

/**
 * Takes the file for this process. The lock is one of SQLite on an empty file beside the database; the operating system
 * gives it back however the process ends.
 * @throws {DatabaseInUse}
 * @throws {IncompleteCopy}
 */
export async function ownSqliteFile(file: string, repeat: Repeat = everyHalfMinute): Promise<Ownership> {
  const lockFile = `${file}-lock`;
  closeSync(openSync(lockFile, 'a', 0o600));
  const lock = await open({ filename: lockFile, driver: Driver });
  try {
    await lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    await lock.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new DatabaseInUse(
      `another process is serving from ${file}; SQLite is for one process, PostgreSQL for several`,
    );
  }
  try {
    refuseIncompleteCopy(file);
  } catch (error) {
    await lock.close();
    throw error;
  }

  let keeper: Awaited<ReturnType<typeof open>> | undefined;
  let stop: (() => void) | undefined;
  let checkpointing = Promise.resolve();
  return {
    async begin() {
      keeper = await open({ filename: file, driver: Driver });
      await keeper.exec(`PRAGMA busy_timeout=8000; PRAGMA user_version=${inUse}; PRAGMA wal_checkpoint(TRUNCATE);`);
      // PASSIVE waits for nobody. What it could not move is moved the next time.
      stop = repeat(() => {
        checkpointing = checkpointing.then(() => keeper!.exec('PRAGMA wal_checkpoint(PASSIVE)')).catch(() => undefined);
        return checkpointing;
      });
    },
    async end(close) {
      stop?.();
      await checkpointing;
      await keeper?.close();
      await close();
      await lock.close();
    },
  };
}

/**
 * Reads the header (https://www.sqlite.org/fileformat.html §1.3) without opening the file.
 * @throws {IncompleteCopy}
 */
export function refuseIncompleteCopy(file: string): void {
  if (existsSync(`${file}-wal`)) return;
  const { version, tables, ours } = headerOf(file);
  if (version === inUse)
    throw new IncompleteCopy(
      `${file} is a copy made while the service was running, without its -wal file: it lacks what was written last. Restore all three files (-wal and -shm too), or a copy made after a clean stop`,
    );
  if (ours && tables === 0)
    throw new IncompleteCopy(
      `${file} is empty: a copy made without its -wal file? Restore all three files (-wal and -shm too), or delete it to begin with a new installation`,
    );
}

/**
 * The last connection to close moves everything into the main file, which is complete from then on. After a crash that
 * may be a command which looks at the database.
 */
export async function markAsCompleteIfLast(file: string): Promise<void> {
  if (existsSync(`${file}-wal`) || headerOf(file).version !== inUse) return;
  const connection = await open({ filename: file, driver: Driver });
  await connection.exec(`PRAGMA user_version=${notInUse}`);
  await connection.close();
}

function headerOf(file: string): { version: number; tables: number; ours: boolean } {
  if (!existsSync(file) || statSync(file).size === 0) return { version: notInUse, tables: -1, ours: false };
  // The file header (100 bytes) and the beginning of the first page: the schema table.
  const header = Buffer.alloc(108);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, header, 0, header.length, 0);
  } finally {
    closeSync(handle);
  }
  const leaf = 0x0d;
  return {
    version: header.readUInt32BE(60),
    tables: header[100] === leaf ? header.readUInt16BE(103) : -1,
    ours: header.readUInt32BE(68) === applicationId,
  };
}
