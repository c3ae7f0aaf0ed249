/** The part of bringing a schema forward that both drivers share. */
import type { Migration, Reader, Transaction } from './database.js';

export const createMigrationTable = 'CREATE TABLE IF NOT EXISTS schema_migrations (id TEXT PRIMARY KEY)';

/** The database was made by a newer version, or by another program: nothing is touched. */
export class SchemaUnknown extends Error {
  override readonly name = 'SchemaUnknown';
}

/**
 * Applies the first migration that is missing; answers false if none is. Runs inside one transaction that no second
 * process can enter at the same time.
 * If the process dies here, the transaction is gone whole and the next start does the same work again.
 */
export async function applyNextMigration(tx: Transaction, migrations: readonly Migration[]): Promise<boolean> {
  refuseRepeatedIds(migrations);
  const appliedIds = new Set((await tx.all<{ id: string }>('SELECT id FROM schema_migrations')).map((row) => row.id));
  refuseNewer(appliedIds, migrations);
  const next = migrations.find((migration) => !appliedIds.has(migration.id));
  if (next === undefined) return false;
  for (const statement of next.statements(tx.dialect)) await tx.run(statement);
  await tx.run('INSERT INTO schema_migrations (id) VALUES (:id)', { id: next.id });
  return true;
}

/** Of two migrations with the same id, the second would never run. */
function refuseRepeatedIds(migrations: readonly Migration[]): void {
  const ids = migrations.map((migration) => migration.id);
  const repeatedId = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeatedId !== undefined) throw new TypeError(`two migrations have the id ${repeatedId}`);
}

/** @throws {SchemaUnknown} */
function refuseNewer(appliedIds: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const unknown = [...appliedIds].filter((id) => !migrations.some((migration) => migration.id === id));
  if (unknown.length > 0)
    throw new SchemaUnknown(
      `the database was brought forward by a newer version (it has migrations this version does not know: ${unknown.join(', ')}); start that version, or restore a backup made before the upgrade`,
    );
}

/** The migrations that a database has, in no order; none if it is empty. */
export async function listApplied(reader: Reader): Promise<ReadonlySet<string>> {
  const table = await reader.get(`SELECT name FROM ${reader.dialect.tables} WHERE name = 'schema_migrations'`);
  if (table === undefined) return new Set();
  return new Set((await reader.all<{ id: string }>('SELECT id FROM schema_migrations')).map((row) => row.id));
}

/** The migrations that a start of this version would apply. @throws {SchemaUnknown} a newer version has been here */
export async function listPending(reader: Reader, migrations: readonly Migration[]): Promise<string[]> {
  const appliedIds = await listApplied(reader);
  refuseNewer(appliedIds, migrations);
  return migrations.map(({ id }) => id).filter((id) => !appliedIds.has(id));
}

/**
 * For commands, which look at the present state and bring nothing forward.
 * @throws {SchemaUnknown} the database is empty, not brought to this version yet, or brought to a newer one
 */
export async function refuseUnmigrated(reader: Reader, migrations: readonly Migration[]): Promise<void> {
  if ((await listPending(reader, migrations)).length > 0)
    throw new SchemaUnknown('the database has not been migrated to this version; start this version to migrate it');
}
