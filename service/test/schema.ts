/** What a database consists of, in its own words and without the order in which it came to be. */
import type { Database, Row } from '@clockproof/platform/database/database';

/** Tables with columns, constraints, indexes and triggers, as sorted lines. */
export async function describeSchema(db: Database): Promise<readonly string[]> {
  const lines = db.dialect.name === 'sqlite' ? await describeSqlite(db) : await describePostgres(db);
  return lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()).toSorted();
}

async function describeSqlite(db: Database): Promise<string[]> {
  const columns = await db.all(
    `SELECT t.name AS of, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden, instr(t.sql, 'AUTOINCREMENT') > 0 AS counts
     FROM sqlite_master t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'`,
  );
  const indexes = await db.all(
    `SELECT t.name AS of, CASE i.origin WHEN 'c' THEN i.name ELSE i.origin END AS name, i."unique", i.partial, c.seqno, c.name AS column_name, c.desc, c.coll, m.sql
     FROM sqlite_master t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c LEFT JOIN sqlite_master m ON m.type = 'index' AND m.name = i.name
     WHERE t.type = 'table' AND c.key = 1`,
  );
  const references = await db.all(
    `SELECT t.name AS of, f."table", f."from", f."to", f.on_update, f.on_delete FROM sqlite_master t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`,
  );
  const triggers = await db.all("SELECT tbl_name AS of, name, sql FROM sqlite_master WHERE type = 'trigger'");
  const tables = await db.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table'",
  );
  const checks = tables.flatMap((table) => checksOf(table.sql).map((check) => ({ of: table.name, check })));
  return [
    ...named('column', columns),
    ...named('index', indexes),
    ...named('reference', references),
    ...named('trigger', triggers),
    ...named('check', checks),
  ];
}

async function describePostgres(db: Database): Promise<string[]> {
  const columns = await db.all(
    `SELECT table_name AS of, column_name, data_type, udt_name, is_nullable, column_default, is_identity, identity_generation
     FROM information_schema.columns WHERE table_schema = current_schema()`,
  );
  const tables = await db.all(
    `SELECT relname AS of, relkind::text AS kind, relpersistence::text AS persistence FROM pg_class WHERE relnamespace = current_schema()::regnamespace`,
  );
  const indexes = await db.all(
    'SELECT tablename AS of, indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()',
  );
  const constraints = await db.all(
    `SELECT conrelid::regclass::text AS of, conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE connamespace = current_schema()::regnamespace`,
  );
  const triggers = await db.all(
    `SELECT tgrelid::regclass::text AS of, pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE NOT tgisinternal`,
  );
  const functions = await db.all(
    `SELECT proname AS of, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace`,
  );
  return [
    ...named('column', columns),
    ...named('relation', tables),
    ...named('index', indexes),
    ...named('constraint', constraints),
    ...named('trigger', triggers),
    ...named('function', functions),
  ];
}

const named = (kind: string, rows: readonly Row[]) =>
  rows.map(({ of, ...rest }) => `${of} ${kind} ${Object.values(rest).join(' | ')}`);

/** SQLite names checks nowhere but in the text of the table. */
function checksOf(sql: string): string[] {
  return [...sql.matchAll(/CHECK \(/g)].map(({ index }) => {
    let depth = 0;
    for (let end = index + 'CHECK '.length; end < sql.length; end++) {
      if (sql[end] === '(') depth += 1;
      if (sql[end] === ')') depth -= 1;
      if (depth === 0) return sql.slice(index, end + 1);
    }
    throw new TypeError(`a check without an end: ${sql}`);
  });
}
