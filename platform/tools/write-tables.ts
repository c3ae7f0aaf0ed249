/**
 * Writes `src/generated/tables.ts` of a package, the rows of its migrated schema: runs the migrations on an empty SQLite
 * database and reads its tables. Runs from source, before anything is compiled.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Migration } from '../src/database/database.js';
import { openDatabase } from '../src/database/open.js';
import { readTables } from './read-tables.js';
import { type ColumnTypes, tablesModule } from './tables-module.js';

/** @param home the folder of the generated module */
export async function writeTables(
  name: string,
  home: URL,
  migrations: readonly Migration[],
  columnTypes: ColumnTypes,
): Promise<void> {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-tables-'));
  try {
    const db = await openDatabase({ driver: 'sqlite', dsn: join(folder, 'schema.sqlite') });
    await db.migrate(migrations);
    const tables = await readTables(db);
    await db.close();
    const hasChanged = writeIfChanged(home, 'tables.ts', tablesModule(tables, columnTypes));
    console.log(
      `tables of ${name}: ${tables.length} generated${hasChanged ? '' : ', unchanged'}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that keeps its content keeps its time, so that builds behind it stay fresh. */
function writeIfChanged(home: URL, name: string, content: string): boolean {
  const file = new URL(name, home);
  try {
    if (readFileSync(file, 'utf8') === content) return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(home, { recursive: true });
  writeFileSync(file, content);
  return true;
}
