/** What both drivers share of bringing a schema forward. */
import type { Migration, Reader, Transaction } from './database.js';

export const createMigrationTable = 'CREATE TABLE IF NOT EXISTS schema_migrations (id TEXT PRIMARY KEY)';

/** The database was made by a newer version, or by something else: nothing is touched. */
export class SchemaUnknown extends Error {
  override readonly name = 'SchemaUnknown';
}

/**
 * Applies the first migration that is missing; answers false when none is. Runs inside one transaction that no second
 * process can enter at the same time.
 * If the process dies here, the transaction is gone whole and the next start does the same work again.
 */
export async function applyNextMigration(tx: Transaction, migrations: readonly Migration[]): Promise<boolean> {
  refuseRepeatedIds(migrations);
  const applied = new Set((await tx.all<{ id: string }>('SELECT id FROM schema_migrations')).map((row) => row.id));
  const unknown = [...applied].filter((id) => !migrations.some((migration) => migration.id === id));
  if (unknown.length > 0)
    throw new SchemaUnknown(`the database has migrations this version does not know: ${unknown.join(', ')}`);
  const next = migrations.find((migration) => !applied.has(migration.id));
  if (next === undefined) return false;
  for (const statement of next.statements(tx.dialect)) await tx.run(statement);
  await tx.run('INSERT INTO schema_migrations (id) VALUES (:id)', { id: next.id });
  return true;
}

/** Of two migrations with the same id, the second would never run. */
function refuseRepeatedIds(migrations: readonly Migration[]): void {
  const ids = migrations.map((migration) => migration.id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new TypeError(`two migrations have the id ${repeated}`);
}

/**
 * For commands, which look at what is there and bring nothing forward.
 * @throws {SchemaUnknown} the database is empty, or not brought to this version yet
 */
export async function refuseUnmigrated(reader: Reader, migrations: readonly Migration[]): Promise<void> {
  const table = await reader.get(
    reader.dialect.name === 'sqlite'
      ? "SELECT 1 AS one FROM sqlite_master WHERE name = 'schema_migrations'"
      : "SELECT 1 AS one WHERE to_regclass('schema_migrations') IS NOT NULL",
  );
  const applied = new Set(
    table === undefined
      ? []
      : (await reader.all<{ id: string }>('SELECT id FROM schema_migrations')).map((row) => row.id),
  );
  if (migrations.some((migration) => !applied.has(migration.id)))
    throw new SchemaUnknown('the database is not of this version yet; starting this version brings it there');
}
