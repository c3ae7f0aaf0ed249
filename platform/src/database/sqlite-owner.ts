/**
 * One serving process per SQLite file. The lock is one of SQLite on an empty file beside the database; the operating
 * system gives it back at every end of the process.
 */
import { closeSync, openSync } from 'node:fs';
import { Database as Driver } from '@appthreat/sqlite3';
import { open } from 'sqlite';

/** Another process serves from this file. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/** Takes the file for this process. @returns a function that gives it back @throws {DatabaseInUse} */
export async function ownSqliteFile(file: string): Promise<() => Promise<void>> {
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
  return () => lock.close();
}
