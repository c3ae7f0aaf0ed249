/** Writes to the tables of the service by typed row (see `generated/tables.ts`), and lists of ids in statements. */
import type { Parameters, Reader } from '@clockproof/platform/database/database';
import { tableWrites, type WriterOf } from '@clockproof/platform/database/table';
import type { Defaults, Tables } from '../generated/tables.js';
import type { RecordTableName } from './audit/record-formats.js';

export type TableName = keyof Tables;

/** Tables whose rows carry the place of the write that changed them last. Only the store sets it. */
export type PlacedTableName = {
  [Name in TableName]: 'changed' extends keyof Tables[Name] ? Name : never;
}[TableName];

/** The writable columns by table: all but the place. */
type Writable = { readonly [Name in TableName]: Omit<Tables[Name], 'changed'> };

export const {
  insert,
  insertReturning,
  insertIfAbsent,
  upsert,
  insertFrom,
  update,
  updateReturning,
  updateWhere,
  updateWhereReturning,
  remove,
  removeReturning,
  removeWhere,
  removeWhereReturning,
} = tableWrites<Writable, { readonly [Name in TableName]: Exclude<Defaults[Name], 'changed'> }, Tables>();

/** The writer of a transaction with a cause: every table. */
export type Writing = Reader & WriterOf<TableName>;

/** Tables of records with columns that are no records: wrong PINs. The store refuses all others there. */
type PartlyRecorded = 'badges';

/** The writer of any transaction: tables without records and without rows that readers follow. */
export type Transaction = Reader &
  WriterOf<Exclude<TableName, Exclude<RecordTableName, PartlyRecorded> | PlacedTableName | 'events'>>;

/**
 * Removes rows that fit a condition, at most `limit`: upkeep goes on in short transactions until fewer are left.
 * @param key the columns of the primary key
 * @returns the number of removed rows
 */
export function removeSome<Name extends TableName>(
  to: WriterOf<Name>,
  table: Name,
  key: readonly (keyof Tables[Name] & string)[],
  condition: string,
  parameters: Parameters & { readonly limit: number },
): Promise<number> {
  const columns = key.join(', ');
  return removeWhere(
    to,
    table,
    `(${columns}) IN (SELECT ${columns} FROM ${table} WHERE ${condition} LIMIT :limit)`,
    parameters,
  );
}

/** A number for a new row of a table whose `id` numbers itself. No other row gets it. */
export async function nextId(tx: Reader, table: TableName): Promise<number> {
  return (await tx.get<{ id: number }>(`SELECT ${tx.dialect.nextIdentity(table)} AS id`))!.id;
}

/**
 * A list of ids for `IN (…)`, with its parameters.
 * @param ids at least one: an empty list is no SQL
 */
export function among<T extends number | string>(
  ids: readonly T[],
): {
  readonly list: string;
  readonly parameters: Readonly<Record<string, T>>;
} {
  return {
    list: ids.map((_, index) => `:id_${index}`).join(', '),
    parameters: Object.fromEntries(ids.map((id, index) => [`id_${index}`, id])),
  };
}
