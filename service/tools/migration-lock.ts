/** The lock of released migrations: `src/migrations/released.json`, their checksums in the order of application. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Dialect, Migration } from '@clockproof/platform/database/database';
import { postgresDialect } from '@clockproof/platform/database/postgres';
import { sqliteDialect } from '@clockproof/platform/database/sqlite';

/** By id, in the order of application: SHA-256 of the statements for each database, in hex. */
export type MigrationLock = Readonly<Record<string, { readonly sqlite: string; readonly postgres: string }>>;

export const lockFile = new URL('../src/migrations/released.json', import.meta.url);

export const readLock = (): MigrationLock => JSON.parse(readFileSync(lockFile, 'utf8'));

export function lockOf(migrations: readonly Migration[]): MigrationLock {
  return Object.fromEntries(
    migrations.map((migration) => [
      migration.id,
      { sqlite: checksum(migration, sqliteDialect), postgres: checksum(migration, postgresDialect) },
    ]),
  );
}

/**
 * What is wrong with a list of migrations, given the released ones: installations have applied those, in that order.
 * @returns one sentence for each fault; none if the list may be released
 */
export function faultsOf(migrations: readonly Migration[], released: MigrationLock): string[] {
  const lock = lockOf(migrations);
  const known = Object.keys(released);
  const ids = migrations.map((migration) => migration.id);
  const last = known.toSorted().at(-1) ?? '';
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is there twice`),
    ...known.flatMap((id, index) =>
      ids[index] === id ? [] : [`${id} is released as number ${index + 1}, here stands ${ids[index] ?? 'nothing'}`],
    ),
    ...known
      .filter((id) => lock[id] !== undefined && JSON.stringify(lock[id]) !== JSON.stringify(released[id]))
      .map((id) => `${id} is released and its statements have changed`),
    ...ids
      .slice(known.length)
      .filter((id, index, added) => released[id] === undefined && id <= (added[index - 1] ?? last))
      .map((id) => `${id} is new and does not sort after all others`),
  ];
}

function checksum(migration: Migration, dialect: Dialect): string {
  return createHash('sha256')
    .update(JSON.stringify(migration.statements(dialect)))
    .digest('hex');
}
