/**
 * Part of a release: writes a database of this version with rows in every table, as SQL text for both databases, to
 * `test/databases/<version>.<dialect>.sql`. Later versions must bring it forward to their own schema.
 *
 * `tsx service/tools/freeze-database.ts 1.2.0`; ids of migrations after it freeze a version that had only these.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect, Migration, Value } from '@clockproof/platform/database/database';
import { createMigrationTable } from '@clockproof/platform/database/migrate';
import { openDatabase } from '@clockproof/platform/database/open';
import { postgresDialect } from '@clockproof/platform/database/postgres';
import { sqliteDialect } from '@clockproof/platform/database/sqlite';
import { readTables, type Table } from '@clockproof/platform/tools/read-tables';
import { migrations } from '../src/migrations/migrations.js';
import { sampleRows } from './sample-rows.js';

const [version, ...only] = process.argv.slice(2);
if (version === undefined) throw new TypeError('freeze-database needs the version');
const applied = only.length === 0 ? migrations : only.map((id) => migrations.find((migration) => migration.id === id)!);
const tables = await tablesAfter(applied);
for (const dialect of [sqliteDialect, postgresDialect])
  writeFileSync(
    new URL(`../test/databases/${version}.${dialect.name}.sql`, import.meta.url),
    [...schema(applied, dialect), ...rows(tables, dialect), ...limits(applied, dialect)]
      .map((statement) => `${statement};\n\n`)
      .join(''),
  );
console.log(`database: version ${version} frozen with ${tables.length} tables`);

function schema(list: readonly Migration[], dialect: Dialect): string[] {
  return [
    createMigrationTable,
    ...list.flatMap((migration) => [
      ...migration.statements(dialect),
      `INSERT INTO schema_migrations (id) VALUES ('${migration.id}')`,
    ]),
  ];
}

/** Columns that the version has; what migrations have put into a table of one row gives way. */
function rows(list: readonly Table[], dialect: Dialect): string[] {
  const byName = new Map(list.map((table) => [table.name, table]));
  const known = Object.entries<readonly object[]>(sampleRows).filter(([name]) => byName.has(name));
  const oneRow = known.filter(([name]) => byName.get(name)!.columns.some((column) => column.name === 'one'));
  return [
    ...oneRow.map(([name]) => `DELETE FROM ${name}`),
    ...known.flatMap(([name, samples]) =>
      samples.map((sample) => {
        const columns = Object.entries<Value>({ ...sample }).filter(([column]) =>
          byName.get(name)!.columns.some((known) => known.name === column),
        );
        return `INSERT INTO ${name} (${columns.map(([column]) => column).join(', ')}) VALUES (${columns.map(([, value]) => literal(value, dialect)).join(', ')})`;
      }),
    ),
    ...(dialect.name === 'postgres' ? sequences(list) : []),
  ];
}

/** Limits that replicas share are rows on PostgreSQL only, with columns of its own. */
function limits(list: readonly Migration[], dialect: Dialect): string[] {
  return dialect.name === 'postgres' && list.some(({ id }) => id === '0000-rate-limits')
    ? ["INSERT INTO rate_limits (key, times, allowed, last_at) VALUES ('key 1', '{1,2}', true, 2)"]
    : [];
}

/** PostgreSQL does not notice ids that were given: the next one follows the highest. */
function sequences(list: readonly Table[]): string[] {
  return list
    .filter(({ columns }) => columns.some((column) => column.name === 'id' && column.hasDefault))
    .map(({ name }) => `SELECT setval(pg_get_serial_sequence('${name}', 'id'), (SELECT max(id) FROM ${name}))`);
}

function literal(value: Value, dialect: Dialect): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  const hex = Buffer.from(value).toString('hex');
  return dialect.name === 'sqlite' ? `X'${hex}'` : `'\\x${hex}'`;
}

async function tablesAfter(list: readonly Migration[]): Promise<readonly Table[]> {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-freeze-'));
  try {
    const db = await openDatabase({ driver: 'sqlite', dsn: join(folder, 'schema.sqlite') });
    await db.migrate(list);
    const found = await readTables(db);
    await db.close();
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
