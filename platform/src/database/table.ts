/**
 * Writes by table and typed row, for the statements that say nothing but their columns. Reads and conditional statements
 * are written by hand.
 *
 * Columns come from the keys of the row, which are code and never input. Statements are composed once for a table and
 * its columns, so both drivers find them prepared.
 */
import type { Parameters, Transaction, Value } from './database.js';

/** A statement with its parameters, to run now or in a batch. */
export interface Statement {
  readonly sql: string;
  readonly parameters: Parameters;
}

type NullableColumn<Row> = { [Column in keyof Row]-?: null extends Row[Column] ? Column : never }[keyof Row];
/** A row to insert: what may be null or has a default in the schema may be left out. */
export type NewRow<Row, Default extends keyof Row = never> = Omit<Row, NullableColumn<Row> | Default> &
  Partial<Pick<Row, NullableColumn<Row> | Default>>;
/** Refuses members that are no columns: TypeScript alone does so for literals only. */
type NoOther<Given, Row> = { readonly [Extra in Exclude<keyof Given, keyof Row>]: never };
/** Columns that name the row, with the values to find. NULL equals nothing and finds nothing. */
type Key<Row> = { readonly [Column in keyof Row]?: NonNullable<Row[Column]> };

/**
 * The writes of one schema.
 *
 * @typeParam Tables rows by table
 * @typeParam Defaults by table, the columns with a default in the schema
 */
export interface TableWrites<Tables, Defaults extends { readonly [Name in keyof Tables]: keyof Tables[Name] }> {
  /** Inserts a row. */
  insert<Name extends keyof Tables & string, Given extends NewRow<Tables[Name], Defaults[Name]>>(
    tx: Transaction,
    table: Name,
    row: Given & NoOther<Given, Tables[Name]>,
  ): Promise<void>;
  /** Inserts a row and answers it as stored, with its defaults. */
  insertReturning<Name extends keyof Tables & string, Given extends NewRow<Tables[Name], Defaults[Name]>>(
    tx: Transaction,
    table: Name,
    row: Given & NoOther<Given, Tables[Name]>,
  ): Promise<Tables[Name]>;
  /** Inserts a row unless one with the same unique values is there. @returns whether it was inserted */
  insertIfAbsent<Name extends keyof Tables & string, Given extends NewRow<Tables[Name], Defaults[Name]>>(
    tx: Transaction,
    table: Name,
    row: Given & NoOther<Given, Tables[Name]>,
  ): Promise<boolean>;
  /** Inserts a row, or gives the one with the same `key` columns the other values. */
  upsert<Name extends keyof Tables & string, Given extends NewRow<Tables[Name], Defaults[Name]>>(
    tx: Transaction,
    table: Name,
    key: readonly (keyof Given & keyof Tables[Name] & string)[],
    row: Given & NoOther<Given, Tables[Name]>,
  ): Promise<void>;
  /** Sets columns of the rows that have all values of `key`. @returns how many there were */
  update<Name extends keyof Tables & string, Found extends Key<Tables[Name]>, Given extends Partial<Tables[Name]>>(
    tx: Transaction,
    table: Name,
    key: Found & NoOther<Found, Tables[Name]>,
    patch: Given & NoOther<Given, Tables[Name]>,
  ): Promise<number>;
  /** Like `update`, and answers the rows as stored. */
  updateReturning<
    Name extends keyof Tables & string,
    Found extends Key<Tables[Name]>,
    Given extends Partial<Tables[Name]>,
  >(
    tx: Transaction,
    table: Name,
    key: Found & NoOther<Found, Tables[Name]>,
    patch: Given & NoOther<Given, Tables[Name]>,
  ): Promise<Tables[Name][]>;
  /** The statement that {@link insert} runs. */
  insertStatement<Name extends keyof Tables & string, Given extends NewRow<Tables[Name], Defaults[Name]>>(
    table: Name,
    row: Given & NoOther<Given, Tables[Name]>,
  ): Statement;
  /** The statement that {@link update} runs. */
  updateStatement<
    Name extends keyof Tables & string,
    Found extends Key<Tables[Name]>,
    Given extends Partial<Tables[Name]>,
  >(table: Name, key: Found & NoOther<Found, Tables[Name]>, patch: Given & NoOther<Given, Tables[Name]>): Statement;
}

export function tableWrites<
  Tables,
  Defaults extends { readonly [Name in keyof Tables]: keyof Tables[Name] },
>(): TableWrites<Tables, Defaults> {
  const writes: TableWrites<Record<string, Record<string, Value>>, Record<string, string>> = {
    async insert(tx, table, row) {
      await tx.run(insertSql(table, row), row as Parameters);
    },
    async insertReturning(tx, table, row) {
      return (await tx.get<Record<string, Value>>(insertSql(table, row, ' RETURNING *'), row as Parameters))!;
    },
    async insertIfAbsent(tx, table, row) {
      return (await tx.run(insertSql(table, row, ' ON CONFLICT DO NOTHING'), row as Parameters)) === 1;
    },
    async upsert(tx, table, key, row) {
      await tx.run(upsertSql(table, key, row), row as Parameters);
    },
    update: (tx, table, key, patch) => tx.run(updateSql(table, key, patch), updateParameters(key, patch)),
    updateReturning: (tx, table, key, patch) =>
      tx.all(updateSql(table, key, patch, ' RETURNING *'), updateParameters(key, patch)),
    insertStatement: (table, row) => ({ sql: insertSql(table, row), parameters: row as Parameters }),
    updateStatement: (table, key, patch) => ({
      sql: updateSql(table, key, patch),
      parameters: updateParameters(key, patch),
    }),
  };
  return writes as unknown as TableWrites<Tables, Defaults>;
}

const composed = new Map<string, string>();

/** The text kept under a name, composed the first time. */
function once(name: string, identifiers: readonly string[], compose: () => string): string {
  let sql = composed.get(name);
  if (sql === undefined) {
    for (const identifier of identifiers)
      if (!/^[a-z][a-z0-9_]*$/.test(identifier)) throw new TypeError(`${identifier} is no table or column`);
    sql = compose();
    composed.set(name, sql);
  }
  return sql;
}

function insertSql(table: string, row: object, suffix = ''): string {
  const columns = Object.keys(row);
  return once(`insert ${table} ${columns.join()}${suffix}`, [table, ...columns], () => {
    if (columns.length === 0) throw new TypeError(`nothing to insert into ${table}`);
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `:${column}`).join(', ')})${suffix}`;
  });
}

function upsertSql(table: string, key: readonly string[], row: object): string {
  const columns = Object.keys(row).filter((column) => !key.includes(column));
  return once(`upsert ${table} ${key.join()} ${Object.keys(row).join()}`, [table, ...key, ...columns], () => {
    if (key.length === 0 || columns.length === 0) throw new TypeError(`nothing to put into ${table}`);
    const set = columns.map((column) => `${column} = excluded.${column}`).join(', ');
    return insertSql(table, row, ` ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set}`);
  });
}

/** Parameters of the key have a name of their own: a column may be both found by and changed. */
const keyParameter = (column: string) => `key_${column}`;

function updateSql(table: string, key: object, patch: object, suffix = ''): string {
  const [found, columns] = [Object.keys(key), Object.keys(patch)];
  return once(`update ${table} ${found.join()} ${columns.join()}${suffix}`, [table, ...found, ...columns], () => {
    // Without a key every row of the table would change: that is a statement to write by hand.
    if (found.length === 0 || columns.length === 0) throw new TypeError(`nothing to update in ${table}`);
    const set = columns.map((column) => `${column} = :${column}`).join(', ');
    const where = found.map((column) => `${column} = :${keyParameter(column)}`).join(' AND ');
    return `UPDATE ${table} SET ${set} WHERE ${where}${suffix}`;
  });
}

function updateParameters(key: object, patch: object): Parameters {
  const parameters: Record<string, Value> = { ...(patch as Record<string, Value>) };
  for (const [column, value] of Object.entries(key)) parameters[keyParameter(column)] = value as Value;
  return parameters;
}
