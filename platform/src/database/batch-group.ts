/**
 * Several batches in one message. Their steps are evaluated in this process, one batch after the other: what they rest
 * on is known from reading, and every lock names its row exactly. So rows for the same table become one statement,
 * however many batches there are. The database compares all locked rows and writes everything or nothing.
 *
 * A row that every batch moves, such as the head of a sequence, waits for its lock. A row of one batch alone does not:
 * if somebody holds it the group is not written, and each batch is tried alone. So one does not hold up the others, and
 * two groups never wait for each other.
 */
import { type Batch, known, Later, type Lock, type Results } from './batch.js';
import type { Parameters, Reader, Row, Value } from './database.js';

type Cells = Readonly<Record<string, Value>>;

/** Rows of one table that must still be as they were read. */
interface Guard {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly moving: boolean;
  readonly rows: Cells[];
}

interface GroupWrite {
  readonly kind: 'insert' | 'update';
  readonly table: string;
  /** The columns that name the row; none for an insert. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly rows: Record<string, Value>[];
}

export interface Group {
  readonly guards: readonly Guard[];
  readonly writes: readonly GroupWrite[];
}

export interface GroupWriter {
  /** Reads what a group is decided from: on the connection of the batches, so after those that were sent before. */
  readonly line: Reader;
  /**
   * Writes all batches in a transaction of their own, or none.
   * @param batches whose locks are `exact`
   * @returns false if a locked row is not as it was read, is locked by somebody else, or a row with the same unique key
   * exists by now
   */
  together(batches: readonly Batch[]): Promise<boolean>;
}

/** @throws TypeError a lock is not exact, or two batches rest on a row that does not move */
export function groupOf(batches: readonly Batch[]): Group {
  const guards = new Map<string, Guard>();
  const writes = new Map<string, GroupWrite>();
  const now = new Map<string, Record<string, Value>>();
  const updated = new Map<string, Record<string, Value>>();
  const into = (kind: GroupWrite['kind'], table: string, key: readonly string[], columns: readonly string[]) => {
    const name = `${kind} ${table} ${key.join()} ${columns.join()}`;
    const write = writes.get(name) ?? { kind, table, key, columns, rows: [] };
    writes.set(name, write);
    return write.rows;
  };
  const guard = ({ name, table, exact }: Lock): Record<string, Value> => {
    if (exact === undefined) throw new TypeError(`the lock ${name} does not name its row exactly`);
    const { key, was, moving = false } = exact;
    const row = nameOf(table, key);
    const before = now.get(row);
    if (before !== undefined && moving) return before;
    if (before !== undefined) throw new TypeError(`two batches of a group rest on ${row}`);
    const columns = Object.keys(was);
    const kind = `${table} ${Object.keys(key).join()} ${columns.join()}`;
    const guarded = guards.get(kind) ?? { table, key: Object.keys(key), columns, moving, rows: [] };
    guards.set(kind, guarded);
    guarded.rows.push({ ...key, ...was });
    const current = { ...was };
    now.set(row, current);
    return current;
  };
  for (const { locks, steps } of batches) {
    const results: Record<string, Row> = {};
    for (const lock of locks) results[lock.name] = { ...guard(lock) };
    for (const step of steps) {
      if ('insert' in step) {
        const row = literal(step.row, results);
        into('insert', step.insert, [], Object.keys(row)).push(row);
        results[step.name] = row;
        continue;
      }
      const set = literal(step.set, results);
      const name = nameOf(step.update, step.where);
      Object.assign(now.get(name) ?? {}, set);
      const earlier = updated.get(name);
      if (earlier !== undefined) Object.assign(earlier, set);
      else {
        const row = { ...step.where, ...set };
        updated.set(name, row);
        into('update', step.update, Object.keys(step.where), Object.keys(set)).push(row);
      }
    }
  }
  return { guards: [...guards.values()], writes: [...writes.values()] };
}

function nameOf(table: string, key: Cells): string {
  return `${table} ${JSON.stringify(key)}`;
}

function literal(cells: Readonly<Record<string, Value | Later>>, results: Results): Record<string, Value> {
  const row: Record<string, Value> = {};
  for (const column in cells) {
    const cell = cells[column]!;
    row[column] = cell instanceof Later ? cell.value(results) : cell;
  }
  return row;
}

const fewRows = 16;

/** The group as one statement of PostgreSQL. It answers one row if it wrote. Rows come as JSON, typed by their table. */
export function groupStatement({ guards, writes }: Group): { readonly sql: string; readonly parameters: Parameters } {
  const parameters: Record<string, Value> = {};
  let bound = 0;
  const bind = (value: Value) => {
    const name = `g${bound++}`;
    parameters[name] = value;
    return `:${name}`;
  };
  const rowsOf = (table: string, rows: readonly Cells[]) =>
    `json_populate_recordset(NULL::${known(table)}, CAST(${bind(JSON.stringify(rows))} AS json))`;
  // The planner expects a hundred rows of a function, unless the statement says otherwise. Few statements serve all
  // sizes: each text is planned again on every connection.
  const fewRowsOf = (table: string, rows: readonly Cells[]) =>
    `(SELECT * FROM ${rowsOf(table, rows)} LIMIT ${rows.length <= fewRows ? fewRows : 2 ** Math.ceil(Math.log2(rows.length))}) r`;
  const heads = new Set(guards.filter(({ moving }) => moving).map(({ table }) => table));
  const parts: string[] = [];
  let holds = '';
  guards.forEach(({ table, key, columns, moving, rows }, index) => {
    const before = holds === '' ? '' : ` AND ${holds}`;
    const [row] = rows as [Cells];
    parts.push(
      moving && rows.length === 1
        ? `held${index} AS MATERIALIZED (SELECT 1 FROM ${known(table)} WHERE ${[...key, ...columns]
            .map((column) =>
              row[column] === null ? `${known(column)} IS NULL` : `${known(column)} = ${bind(row[column]!)}`,
            )
            .join(' AND ')}${before} FOR UPDATE)`
        : `held${index} AS MATERIALIZED (SELECT 1 FROM ${fewRowsOf(table, rows)} JOIN ${known(table)} t ON ${key
            .map((column) => `t.${known(column)} = r.${column}`)
            .join(' AND ')} WHERE ${columns
            .map((column) => `t.${known(column)} IS NOT DISTINCT FROM r.${column}`)
            .join(' AND ')}${before} FOR UPDATE OF t${moving ? '' : ' SKIP LOCKED'})`,
    );
    holds = `(SELECT count(*) FROM held${index}) = CAST(${bind(rows.length)} AS BIGINT)`;
  });
  writes.forEach(({ kind, table, key, columns, rows }, index) => {
    const [row] = rows as [Cells];
    parts.push(
      kind === 'insert'
        ? `wrote${index} AS (INSERT INTO ${known(table)} (${columns.map(known).join(', ')}) SELECT ${columns.map((column) => `r.${column}`).join(', ')} FROM ${rowsOf(table, rows)} r WHERE ${holds})`
        : heads.has(table) && rows.length === 1
          ? `wrote${index} AS (UPDATE ${known(table)} SET ${columns.map((column) => `${known(column)} = ${bind(row[column]!)}`).join(', ')} WHERE ${key.map((column) => `${known(column)} = ${bind(row[column]!)}`).join(' AND ')} AND ${holds})`
          : `wrote${index} AS (UPDATE ${known(table)} t SET ${columns.map((column) => `${known(column)} = r.${column}`).join(', ')} FROM ${fewRowsOf(table, rows)} WHERE ${key.map((column) => `t.${known(column)} = r.${column}`).join(' AND ')} AND ${holds})`,
    );
  });
  return { sql: `WITH ${parts.join(',\n')}\nSELECT 1 AS written WHERE ${holds}`, parameters };
}

/** Writes the group statement by statement, for a database with one writer, inside its transaction. */
export async function runGroup(
  tx: Reader & { run(sql: string, parameters?: Parameters): Promise<number> },
  { guards, writes }: Group,
): Promise<boolean> {
  const parameters: Record<string, Value> = {};
  const counts = guards.map(({ table, key, columns, rows }, index) => {
    parameters[`g${index}`] = JSON.stringify(rows);
    const equal = [
      ...key.map((column) => `t.${known(column)} = r.value ->> '${column}'`),
      ...columns.map((column) => `t.${known(column)} IS r.value ->> '${column}'`),
    ];
    return `(SELECT count(*) FROM json_each(:g${index}) r CROSS JOIN ${known(table)} t WHERE ${equal.join(' AND ')}) AS g${index}`;
  });
  const found = (await tx.get<Row>(`SELECT ${counts.join(', ')}`, parameters))!;
  if (guards.some(({ rows }, index) => found[`g${index}`] !== rows.length)) return false;
  for (const { kind, table, key, columns, rows } of writes) {
    const sql =
      kind === 'insert'
        ? `INSERT INTO ${known(table)} (${columns.map(known).join(', ')}) SELECT ${columns.map((column) => `r.value ->> '${column}'`).join(', ')} FROM json_each(:rows) r`
        : `UPDATE ${known(table)} AS t SET ${columns.map((column) => `${known(column)} = r.value ->> '${column}'`).join(', ')} FROM json_each(:rows) r WHERE ${key.map((column) => `t.${known(column)} = r.value ->> '${column}'`).join(' AND ')}`;
    if ((await tx.run(sql, { rows: JSON.stringify(rows) })) !== rows.length)
      throw new Error(`a group did not write all rows of ${table}`);
  }
  return true;
}
