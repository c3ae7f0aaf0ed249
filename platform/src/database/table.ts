/**
 * Writes by table and typed row. A change names its table and its rows, so that the driver knows them without reading
 * SQL. Reads are written by hand, and so are the conditions of changes that need more than a key.
 *
 * A query builder such as Kysely would type reads too, but hides the statements that decide races.
 *
 * Tables and columns are code and never input. Statements are composed once for a table and its columns, so both
 * drivers find them prepared.
 */
import type { Parameters, Row, Value, Writer } from './database.js';

/** An SQL expression in place of a value: `expression('tries + 1')`. Code, never input. */
export class Expression {
  constructor(readonly sql: string) {}
}
export const expression = (sql: string): Expression => new Expression(sql);

export type Cell = Value | Expression;
type Cells = Readonly<Record<string, Cell>>;

/** A choice of rows: those with all values of a key, or those that fit a condition written by hand. */
type Where = { readonly key: Parameters } | { readonly condition: string; readonly parameters: Parameters };

/** One statement that changes rows of one table. */
export type Change = { readonly table: string; readonly returning?: boolean } & (
  | {
      readonly verb: 'insert';
      readonly row: Cells;
      /** The answer to an existing row with the same unique values; without it, the change fails. */
      readonly conflict?: 'nothing' | { readonly key: readonly string[] };
    }
  | {
      readonly verb: 'insertFrom';
      readonly columns: readonly string[];
      /** `SELECT … ON CONFLICT …` */
      readonly select: string;
      readonly parameters: Parameters;
    }
  | { readonly verb: 'update'; readonly patch: Cells; readonly where: Where }
  | { readonly verb: 'remove'; readonly where: Where }
);

type NullableColumn<Row> = { [Column in keyof Row]-?: null extends Row[Column] ? Column : never }[keyof Row];
/** A row to insert: columns that may be null or have a default in the schema may be left out. */
export type NewRow<Row, Default extends keyof Row = never> = Omit<Row, NullableColumn<Row> | Default> &
  Partial<Pick<Row, NullableColumn<Row> | Default>>;
/** Refuses members that are no columns: TypeScript alone does so for literals only. */
type NoOther<Given, Row> = { readonly [Extra in Exclude<keyof Given, keyof Row>]: never };
/** Columns that name the row, with the values to find. NULL equals nothing and finds nothing. */
type Key<Row> = { readonly [Column in keyof Row]?: NonNullable<Row[Column]> };
type Patch<Row> = { readonly [Column in keyof Row]?: Row[Column] | Expression };

/** A writer of some tables alone: the parameter keeps one of fewer tables from standing in for one of more. */
export interface WriterOf<Name extends string> extends Writer {
  readonly writes?: (table: Name) => void;
}

/**
 * The writes of one schema.
 *
 * @typeParam Rows the writable columns, by table
 * @typeParam Defaults by table, the columns with a default in the schema
 * @typeParam Stored rows as they are stored, by table
 */
export interface TableWrites<
  Rows,
  Defaults extends { readonly [Name in keyof Rows]: keyof Rows[Name] },
  Stored extends { readonly [Name in keyof Rows]: object },
> {
  /** Inserts a row. */
  insert<Name extends keyof Rows & string, Given extends NewRow<Rows[Name], Defaults[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    row: Given & NoOther<Given, Rows[Name]>,
  ): Promise<void>;
  /** Inserts a row. @returns it as stored, with its defaults */
  insertReturning<Name extends keyof Rows & string, Given extends NewRow<Rows[Name], Defaults[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    row: Given & NoOther<Given, Rows[Name]>,
  ): Promise<Stored[Name]>;
  /** Inserts a row unless one with the same unique values is there. @returns true if it was inserted */
  insertIfAbsent<Name extends keyof Rows & string, Given extends NewRow<Rows[Name], Defaults[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    row: Given & NoOther<Given, Rows[Name]>,
  ): Promise<boolean>;
  /** Inserts a row, or gives the one with the same `key` columns the other values. */
  upsert<Name extends keyof Rows & string, Given extends NewRow<Rows[Name], Defaults[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    key: readonly (keyof Given & keyof Rows[Name] & string)[],
    row: Given & NoOther<Given, Rows[Name]>,
  ): Promise<void>;
  /** Inserts the rows of a SELECT, which may end with `ON CONFLICT …`. @returns the number of written rows */
  insertFrom<Name extends keyof Rows & string>(
    to: WriterOf<Name>,
    table: Name,
    columns: readonly (keyof Rows[Name] & string)[],
    select: string,
    parameters?: Parameters,
  ): Promise<number>;
  /** Sets columns of the rows that have all values of `key`. @returns their number */
  update<Name extends keyof Rows & string, Found extends Key<Stored[Name]>, Given extends Patch<Rows[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    key: Found & NoOther<Found, Stored[Name]>,
    patch: Given & NoOther<Given, Rows[Name]>,
  ): Promise<number>;
  /** Like `update`. @returns the rows as stored */
  updateReturning<Name extends keyof Rows & string, Found extends Key<Stored[Name]>, Given extends Patch<Rows[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    key: Found & NoOther<Found, Stored[Name]>,
    patch: Given & NoOther<Given, Rows[Name]>,
  ): Promise<Stored[Name][]>;
  /** Sets columns of the rows that fit a condition. Its parameters are named apart from the columns of the patch. */
  updateWhere<Name extends keyof Rows & string, Given extends Patch<Rows[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    patch: Given & NoOther<Given, Rows[Name]>,
    condition: string,
    parameters?: Parameters,
  ): Promise<number>;
  /** Like `updateWhere`. @returns the rows as stored */
  updateWhereReturning<Name extends keyof Rows & string, Given extends Patch<Rows[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    patch: Given & NoOther<Given, Rows[Name]>,
    condition: string,
    parameters?: Parameters,
  ): Promise<Stored[Name][]>;
  /** Removes the rows that have all values of `key`. @returns their number */
  remove<Name extends keyof Rows & string, Found extends Key<Stored[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    key: Found & NoOther<Found, Stored[Name]>,
  ): Promise<number>;
  /** Like `remove`. @returns the rows as they were */
  removeReturning<Name extends keyof Rows & string, Found extends Key<Stored[Name]>>(
    to: WriterOf<Name>,
    table: Name,
    key: Found & NoOther<Found, Stored[Name]>,
  ): Promise<Stored[Name][]>;
  /** Removes the rows that fit a condition. @returns their number */
  removeWhere<Name extends keyof Rows & string>(
    to: WriterOf<Name>,
    table: Name,
    condition: string,
    parameters?: Parameters,
  ): Promise<number>;
  /** Like `removeWhere`. @returns the rows as they were */
  removeWhereReturning<Name extends keyof Rows & string>(
    to: WriterOf<Name>,
    table: Name,
    condition: string,
    parameters?: Parameters,
  ): Promise<Stored[Name][]>;
}

export function tableWrites<
  Rows,
  Defaults extends { readonly [Name in keyof Rows]: keyof Rows[Name] },
  Stored extends { readonly [Name in keyof Rows]: object } = { readonly [Name in keyof Rows]: Rows[Name] & object },
>(): TableWrites<Rows, Defaults, Stored> {
  type AnyRow = Record<string, Value>;
  const count = async (to: Writer, change: Change) => (await to.change(change)).count;
  const rows = async (to: Writer, change: Change) => (await to.change({ ...change, returning: true })).rows;
  const writes: TableWrites<Record<string, AnyRow>, Record<string, string>, Record<string, Row>> = {
    insert: async (to, table, row) => void (await to.change({ verb: 'insert', table, row: row as AnyRow })),
    insertReturning: async (to, table, row) => (await rows(to, { verb: 'insert', table, row: row as AnyRow }))[0]!,
    insertIfAbsent: async (to, table, row) =>
      (await count(to, { verb: 'insert', table, row: row as AnyRow, conflict: 'nothing' })) === 1,
    upsert: async (to, table, key, row) =>
      void (await to.change({ verb: 'insert', table, row: row as AnyRow, conflict: { key } })),
    insertFrom: (to, table, columns, select, parameters = {}) =>
      count(to, { verb: 'insertFrom', table, columns, select, parameters }),
    update: (to, table, key, patch) => count(to, { verb: 'update', table, patch, where: { key: key as AnyRow } }),
    updateReturning: async (to, table, key, patch) => [
      ...(await rows(to, { verb: 'update', table, patch, where: { key: key as AnyRow } })),
    ],
    updateWhere: (to, table, patch, condition, parameters = {}) =>
      count(to, { verb: 'update', table, patch, where: { condition, parameters } }),
    updateWhereReturning: async (to, table, patch, condition, parameters = {}) => [
      ...(await rows(to, { verb: 'update', table, patch, where: { condition, parameters } })),
    ],
    remove: (to, table, key) => count(to, { verb: 'remove', table, where: { key: key as AnyRow } }),
    removeReturning: async (to, table, key) => [
      ...(await rows(to, { verb: 'remove', table, where: { key: key as AnyRow } })),
    ],
    removeWhere: (to, table, condition, parameters = {}) =>
      count(to, { verb: 'remove', table, where: { condition, parameters } }),
    removeWhereReturning: async (to, table, condition, parameters = {}) => [
      ...(await rows(to, { verb: 'remove', table, where: { condition, parameters } })),
    ],
  };
  return writes as unknown as TableWrites<Rows, Defaults, Stored>;
}

/** The statement of a change, with its parameters. */
export function statementOf(change: Change): { readonly sql: string; readonly parameters: Parameters } {
  const { table, verb } = change;
  const parameters: Record<string, Value> = {};
  const suffix = change.returning === true ? ' RETURNING *' : '';
  if (verb === 'insert') {
    const columns = names(table, Object.keys(change.row));
    const values = columns.map((column) => bind(parameters, column, change.row[column]!));
    const conflict = conflictOf(columns, change.conflict);
    return {
      sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})${conflict}${suffix}`,
      parameters,
    };
  }
  if (verb === 'insertFrom') {
    const columns = names(table, change.columns);
    return {
      sql: `INSERT INTO ${table} (${columns.join(', ')}) ${change.select}${suffix}`,
      parameters: change.parameters,
    };
  }
  const where = conditionOf(table, change.where, parameters);
  if (verb === 'remove') return { sql: `DELETE FROM ${table} WHERE ${where}${suffix}`, parameters };
  const columns = names(table, Object.keys(change.patch));
  const assignments = columns.map((column) => {
    if (Object.hasOwn(parameters, column)) throw new TypeError(`:${column} is a column and a parameter of ${table}`);
    return `${column} = ${bind(parameters, column, change.patch[column]!)}`;
  });
  return { sql: `UPDATE ${table} SET ${assignments.join(', ')} WHERE ${where}${suffix}`, parameters };
}

function bind(parameters: Record<string, Value>, name: string, cell: Cell): string {
  if (cell instanceof Expression) return cell.sql;
  parameters[name] = cell;
  return `:${name}`;
}

function conflictOf(columns: readonly string[], conflict: 'nothing' | { readonly key: readonly string[] } | undefined) {
  if (conflict === undefined) return '';
  if (conflict === 'nothing') return ' ON CONFLICT DO NOTHING';
  const assignments = columns
    .filter((column) => !conflict.key.includes(column))
    .map((name) => `${name} = excluded.${name}`);
  if (conflict.key.length === 0 || assignments.length === 0) throw new TypeError('an upsert without key or values');
  return ` ON CONFLICT (${conflict.key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}`;
}

/** Parameters of a key have names of their own: a column may be both found by and changed. */
function conditionOf(table: string, where: Where, parameters: Record<string, Value>): string {
  if ('condition' in where) {
    Object.assign(parameters, where.parameters);
    return where.condition;
  }
  // Without a key every row of the table would change.
  return names(table, Object.keys(where.key))
    .map((column) => `${column} = ${bind(parameters, `key_${column}`, where.key[column]!)}`)
    .join(' AND ');
}

const checkedTables = new Set<string>();

/** @throws {TypeError} there are none, or one is no name */
function names(table: string, columns: readonly string[]): readonly string[] {
  if (columns.length === 0) throw new TypeError(`no columns of ${table}`);
  for (const name of [table, ...columns]) {
    if (checkedTables.has(name)) continue;
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`${name} is no table or column`);
    checkedTables.add(name);
  }
  return columns;
}
