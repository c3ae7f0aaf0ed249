/** One REPEATABLE READ transaction that only reads, with a cursor per table. Writers go on. */
import type { Row, Transaction } from './database.js';
import { openPostgres } from './postgres.js';
import { type DescribedColumn, describeTables, pageRows, type Reference, type Snapshot } from './snapshot.js';

/** @throws {DatabaseUnavailable} */
export async function openPostgresSnapshot(dsn: string): Promise<Snapshot> {
  const db = await openPostgres(dsn, { poolSize: 1 });
  let finish: () => void = () => undefined;
  const completion = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let transactionRun: Promise<void> | undefined;
  const firstTransaction = new Promise<Transaction>((resolve, reject) => {
    transactionRun = db.write(async (tx) => {
      await tx.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // The receiver of the rows may be slow: a disk, a pipe, another database.
      await tx.run('SET LOCAL idle_in_transaction_session_timeout = 0');
      await tx.run('SET LOCAL statement_timeout = 0');
      await tx.get('SELECT 1 AS one');
      resolve(tx);
      await completion;
    });
    transactionRun.catch(reject);
  });
  let tx: Transaction;
  try {
    tx = await firstTransaction;
  } catch (error) {
    await db.close();
    throw error;
  }
  return {
    dialect: tx.dialect,
    all: tx.all,
    get: tx.get,
    async tables() {
      const columns = await tx.all<DescribedColumn>(
        `SELECT c.table_name, c.column_name AS name, c.data_type AS type
         FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
         WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' ORDER BY c.table_name, c.ordinal_position`,
      );
      const references = await tx.all<Reference>(
        `SELECT c.relname AS child, p.relname AS parent FROM pg_constraint k
         JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
         WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace`,
      );
      const identities = await tx.all<{ name: string; last: number }>(
        `SELECT table_name AS name,
           coalesce(pg_sequence_last_value(pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass), 0) AS last
         FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`,
      );
      return describeTables(columns, references, new Map(identities.map(({ name, last }) => [name, last])));
    },
    async *pages({ name, columns }) {
      await tx.run(
        `DECLARE snapshot_${name} NO SCROLL CURSOR FOR SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}`,
      );
      for (;;) {
        const page = await tx.all<Row>(`FETCH ${pageRows} FROM snapshot_${name}`);
        if (page.length === 0) break;
        yield page;
      }
      await tx.run(`CLOSE snapshot_${name}`);
    },
    async close() {
      finish();
      await transactionRun!.catch(() => undefined);
      await db.close();
    },
  };
}
