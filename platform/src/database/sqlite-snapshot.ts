/** The file as one transaction reads it. Writers go on; the `-wal` file grows until the snapshot is closed. */
import type { Row } from './database.js';
import { type DescribedColumn, describeTables, pageRows, type Reference, type Snapshot } from './snapshot.js';
import { connect, openTransaction, readerCacheKib, refuseForeignFile, statements } from './sqlite.js';

/** @throws {SchemaUnknown} */
export async function openSqliteSnapshot(file: string): Promise<Snapshot> {
  refuseForeignFile(file);
  const connection = await connect(file, readerCacheKib);
  await connection.exec('PRAGMA query_only=ON; BEGIN');
  const cache = statements(connection);
  // A failed read can end the transaction: later reads must not see another state.
  const reader = openTransaction(cache).tx;
  // The transaction sees the database as it is at its first read.
  await reader.all('SELECT 1 AS one FROM sqlite_master LIMIT 1');
  return {
    dialect: reader.dialect,
    all: reader.all,
    get: reader.get,
    async tables() {
      const columns = await reader.all<DescribedColumn>(
        `SELECT t.name AS table_name, c.name, c.type FROM sqlite_master t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY t.name, c.cid`,
      );
      const references = await reader.all<Reference>(
        `SELECT t.name AS child, f."table" AS parent FROM sqlite_master t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`,
      );
      const identities = await reader.all<{ name: string; last: number }>(
        `SELECT t.name, coalesce(s.seq, 0) AS last FROM sqlite_master t LEFT JOIN sqlite_sequence s ON s.name = t.name
         WHERE t.type = 'table' AND instr(t.sql, 'AUTOINCREMENT') > 0`,
      );
      return describeTables(columns, references, new Map(identities.map(({ name, last }) => [name, last])));
    },
    async *pages({ name, columns }) {
      const list = columns.map((column) => column.name).join(', ');
      for (let lastRowId = -(2 ** 53); ; ) {
        const page = await reader.all<Row & { rowid_: number }>(
          `SELECT rowid AS rowid_, ${list} FROM ${name} WHERE rowid > :after ORDER BY rowid LIMIT ${pageRows}`,
          { after: lastRowId },
        );
        if (page.length === 0) return;
        yield page;
        lastRowId = page.at(-1)!.rowid_;
      }
    },
    async close() {
      await cache.finalize();
      await connection.close();
    },
  };
}
