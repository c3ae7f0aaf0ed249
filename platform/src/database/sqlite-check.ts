/**
 * Looks for damaged pages: from the disk, a copy made without its `-wal`, or another program. Damage in unread pages
 * shows nowhere else.
 */
import { existsSync } from 'node:fs';
import { cannotOpen, type DatabaseSettings } from './open.js';

/** The first ten faults, one line each; empty: none. */
export type Damage = readonly string[];

/**
 * `PRAGMA quick_check` (https://www.sqlite.org/pragma.html#pragma_quick_check) on a separate connection, while others
 * read and write. Meanwhile the `-wal` file grows.
 * @param milliseconds the time after which it gives up
 * @returns undefined if not finished in time; empty for PostgreSQL, which has checks of its own
 * @throws {CannotOpen} the file cannot be opened, for example on a file system that is read-only
 */
export async function findDamage(settings: DatabaseSettings, milliseconds: number): Promise<Damage | undefined> {
  if (settings.driver !== 'sqlite' || !existsSync(settings.dsn)) return [];
  // A process loads the driver it uses.
  const { connect, damageOf, readerCacheKib } = await import('./sqlite.js');
  try {
    const connection = await connect(settings.dsn, readerCacheKib);
    const limit = setTimeout(() => connection.getDatabaseInstance().interrupt(), milliseconds);
    try {
      await connection.exec('PRAGMA query_only=ON');
      const rows = await connection.all<{ quick_check: string }[]>('PRAGMA quick_check(10)');
      return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
    } finally {
      clearTimeout(limit);
      await connection.close();
    }
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_INTERRUPT') return undefined;
    const damage = damageOf(error);
    if (damage === undefined) throw cannotOpen(settings.dsn, error);
    return [damage];
  }
}
