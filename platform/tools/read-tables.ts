/** The tables of a migrated database, as both drivers describe them in their own words. */

import type { Database } from '../src/database/database.js';
import { isPostgres } from '../src/database/postgres.js';

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  readonly kind: 'integer' | 'text' | 'bytes';
  readonly nullable: boolean;
  /** The database fills it in where an INSERT does not name it. */
  readonly hasDefault: boolean;
}

/** Tables that are not part of the product, or that only one dialect has: limits on PostgreSQL, numbers on SQLite. */
const untypedTables = ['schema_migrations', 'sqlite_sequence', 'transaction_number', 'rate_limits'];

const kinds: Readonly<Record<string, Column['kind']>> = {
  INTEGER: 'integer',
  TEXT: 'text',
  BLOB: 'bytes',
  bigint: 'integer',
  text: 'text',
  bytea: 'bytes',
};

/** @returns tables by name, columns in their order. @throws {TypeError} a column of a type that rows do not have */
export async function readTables(db: Database): Promise<readonly Table[]> {
  const rows = await db.all<{ table_name: string; name: string; type: string; nullable: number; filled: number }>(
    !isPostgres(db.dialect)
      ? // A primary key refuses NULL on PostgreSQL by itself. On SQLite a text one does not: no row has it.
        `SELECT t.name AS table_name, c.name, c.type, (c."notnull" = 0 AND c.pk = 0) AS nullable,
           (c.dflt_value IS NOT NULL OR (c.pk = 1 AND instr(t.sql, 'AUTOINCREMENT') > 0)) AS filled
         FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid`
      : `SELECT table_name, column_name AS name, data_type AS type, CASE is_nullable WHEN 'YES' THEN 1 ELSE 0 END AS nullable,
           CASE WHEN column_default IS NOT NULL OR is_identity = 'YES' THEN 1 ELSE 0 END AS filled
         FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name COLLATE "C", ordinal_position`,
  );
  const tables = new Map<string, Column[]>();
  for (const row of rows.filter((row) => !untypedTables.includes(row.table_name))) {
    const kind = kinds[row.type];
    if (kind === undefined) throw new TypeError(`${row.table_name}.${row.name} has the type ${row.type}`);
    const columns = tables.get(row.table_name) ?? [];
    columns.push({ name: row.name, kind, nullable: row.nullable === 1, hasDefault: row.filled === 1 });
    tables.set(row.table_name, columns);
  }
  return [...tables].map(([name, columns]) => ({ name, columns }));
}
