/**
 * Several writes in one message to the database. A verb reads once, decides in plain code, and hands over the rows to
 * write together with the rows its decision rests on (the locks). The database locks those rows in the given order,
 * compares them with what was read, and either writes everything or nothing.
 *
 * PostgreSQL runs a batch as one statement of data-modifying CTEs, so no lock is held across a round trip. A CTE sees
 * the snapshot from the start of the statement; only a locked row is re-checked in its newest version (PostgreSQL
 * manual, 13.2.1). Hence the rule: whatever a decision rests on must show in a row that the batch locks.
 * SQLite has one writer: the same steps run one after the other inside its transaction.
 */
import type { Parameters, Reader, Row, Value } from './database.js';

/** What earlier locks and steps of the batch gave, by their names. */
export type Results = Readonly<Record<string, Row>>;

/** A value that only the write itself knows: the number of the row just inserted, a text with that number inside. */
export class Later {
  constructor(
    /** For PostgreSQL: an expression. `column` names a value of an earlier step, `parameter` binds one. */
    readonly expression: (write: {
      column(step: string, column: string): string;
      parameter(value: Value): string;
    }) => string,
    /** For SQLite: the value. */
    readonly value: (results: Results) => Value,
  ) {}
}

/** A column of an earlier step. In JSON handed to {@link jsonText} it stands for that column's value. */
export class Reference extends Later {
  constructor(
    readonly step: string,
    readonly column: string,
  ) {
    super(
      (write) => write.column(step, column),
      (results) => results[step]![column] as Value,
    );
  }

  toJSON(): string {
    return `\0${this.step}.${this.column}`;
  }
}

export const columnOf = (step: string, column: string) => new Reference(step, column);

/** One more than a column of an earlier step. */
export function oneMoreThan(step: string, column: string): Later {
  return new Later(
    (write) => `(${write.column(step, column)} + 1)`,
    (results) => (results[step]![column] as number) + 1,
  );
}

/**
 * A text made of fixed pieces and values of earlier steps. `pad` fills a whole number with zeros to so many digits.
 */
export type TextPiece = string | { readonly of: Later; readonly pad?: number };

/**
 * PostgreSQL gets the text as one parameter, with a control character in place of each value.
 * @param pieces fixed ones without control characters below U+0009; JSON escapes them
 */
export function textOf(pieces: readonly TextPiece[]): Later {
  return new Later(
    (write) => {
      const values: string[] = [];
      let template = '';
      for (const piece of pieces) {
        if (typeof piece === 'string') {
          template += piece;
          continue;
        }
        const text = `${piece.of.expression(write)}::text`;
        const value = piece.pad === undefined ? text : `lpad(${text}, greatest(length(${text}), ${piece.pad}), '0')`;
        if (!values.includes(value)) values.push(value);
        template += placeholder(values.indexOf(value));
      }
      const fixed = pieces.filter((piece) => typeof piece === 'string').join('');
      if (values.length > 8 || values.some((_, index) => fixed.includes(placeholder(index))))
        throw new TypeError('a fixed piece of a text contains a control character, or it has too many values');
      return values.reduce(
        (text, value, index) => `replace(${text}, chr(${index + 1}), ${value})`,
        `${write.parameter(template)}::text`,
      );
    },
    (results) =>
      pieces
        .map((piece) =>
          typeof piece === 'string' ? piece : String(piece.of.value(results)).padStart(piece.pad ?? 0, '0'),
        )
        .join(''),
  );
}

function placeholder(index: number): string {
  return String.fromCharCode(index + 1);
}

/**
 * The JSON of a value in which {@link columnOf} stands for whole numbers that the write gives. A reference is written
 * as a string with a leading NUL, which no text of a request can contain, and cut out of the finished JSON.
 */
export function jsonPieces(value: object): TextPiece[] {
  return JSON.stringify(value)
    .split(/"\\u0000([a-z_]+\.[a-z_]+)"/)
    .map((piece, index): TextPiece => {
      if (index % 2 === 0) return piece;
      const [step, column] = piece.split('.') as [string, string];
      return { of: columnOf(step, column) };
    });
}

export type Cell = Value | Later;

/** A row that must still be as it was read. Locked until the write is over; locks are taken in the order given. */
export interface Lock {
  readonly name: string;
  readonly table: string;
  /** A condition that fits exactly one row; its parameters are named apart from those of other locks. */
  readonly where: string;
  readonly parameters: Parameters;
  /** Columns of the locked row that steps refer to. */
  readonly read: readonly string[];
  /** The row by its key and as it was read, for batches that are written together (`batch-group.ts`). */
  readonly exact?:
    | {
        readonly key: Readonly<Record<string, Value>>;
        /** At least the columns of `read`. */
        readonly was: Readonly<Record<string, Value>>;
        /** Every batch moves this row, so those written together take it one after the other. */
        readonly moving?: true;
      }
    | undefined;
}

interface Insert {
  readonly name: string;
  readonly insert: string;
  readonly row: Readonly<Record<string, Cell>>;
  readonly returning?: readonly string[];
}

export type Step =
  | Insert
  | {
      readonly name: string;
      readonly update: string;
      readonly set: Readonly<Record<string, Cell>>;
      /** Columns that together name one row. */
      readonly where: Readonly<Record<string, Value>>;
      readonly returning?: readonly string[];
    };

export interface Batch {
  /** At least one. */
  readonly locks: readonly Lock[];
  readonly steps: readonly Step[];
}

export interface BatchWriter {
  /**
   * Writes the batch, or nothing. Outside of a transaction the batch is one.
   * @returns columns read by locks and returned by steps; undefined if a locked row is not as it was read, or (outside of
   * a transaction) a row with the same unique key exists by now
   */
  batch(batch: Batch): Promise<Results | undefined>;
}

const identifier = /^[a-z][a-z0-9_]*$/;
const identifiers = new Set<string>();
/** Names are code and few. @throws TypeError it is no name */
export function known(name: string): string {
  if (identifiers.has(name)) return name;
  if (!identifier.test(name)) throw new TypeError(`not an identifier: ${name}`);
  identifiers.add(name);
  return name;
}

/**
 * The batch as one statement of PostgreSQL. Columns of the answer are named `step.column`.
 * @param waiting whether it waits for a row that somebody has locked; for rows that every batch moves it always does
 */
export function batchStatement(
  { locks, steps }: Batch,
  waiting: 'waits' | 'does not wait' = 'waits',
): { readonly sql: string; readonly parameters: Parameters } {
  const parameters: Record<string, Value> = {};
  for (const lock of locks) Object.assign(parameters, lock.parameters);
  let bound = 0;
  const parameter = (value: Value) => {
    const name = `b${bound++}`;
    parameters[name] = value;
    return `:${name}`;
  };
  const cellIn = (column: (step: string, name: string) => string) => {
    const write = { column, parameter };
    return (value: Cell) => (value instanceof Later ? value.expression(write) : parameter(value));
  };
  const parts = locks.map(({ name, table, where, read, exact }, index) => {
    const columns = read.length === 0 ? '1 AS locked' : read.map(known).join(', ');
    // The order of locking is an order of data: the row after can only be found where the row before was locked.
    const before = index === 0 ? '' : ` AND EXISTS (SELECT 1 FROM ${locks[index - 1]!.name})`;
    return `${known(name)} AS MATERIALIZED (SELECT ${columns} FROM ${known(table)} WHERE ${where}${before} FOR UPDATE${waiting === 'waits' || exact?.moving === true ? '' : ' NOWAIT'})`;
  });
  const last = locks.at(-1)!.name;
  const isLock = (name: string) => locks.some((lock) => lock.name === name);
  /** The rows of an insert, beside those they take values from: locks and steps of one row each. */
  const selectOf = (group: readonly Insert[]) => {
    const from: string[] = [];
    const cell = cellIn((step, name) => {
      if (!from.includes(step)) from.push(known(step));
      return `${step}.${known(name)}`;
    });
    const rows = group.map(({ row }) => Object.values(row).map(cell));
    // What an earlier step gave is there only if all rows are locked; a lock alone does not say so of those after it.
    if (from.every(isLock) && !from.includes(last)) from.push(last);
    return rows.map((values) => `SELECT ${values.join(', ')} FROM ${from.join(', ')}`).join(' UNION ALL ');
  };
  for (const group of groupsOf(steps, isTyped)) {
    const [step] = group as [Step];
    const returning = step.returning === undefined ? '' : ` RETURNING ${step.returning.map(known).join(', ')}`;
    if ('insert' in step) {
      const columns = Object.keys(step.row).map(known).join(', ');
      parts.push(
        `${known(step.name)} AS (INSERT INTO ${known(step.insert)} (${columns}) ${selectOf(group as Insert[])}${returning})`,
      );
    } else {
      const cell = cellIn((name, column) => `(SELECT ${known(column)} FROM ${known(name)})`);
      const set = Object.entries(step.set).map(([column, value]) => `${known(column)} = ${cell(value)}`);
      const where = Object.entries(step.where).map(([column, value]) => `${known(column)} = ${parameter(value)}`);
      parts.push(
        `${known(step.name)} AS (UPDATE ${known(step.update)} SET ${set.join(', ')} WHERE ${where.join(' AND ')} AND EXISTS (SELECT 1 FROM ${last})${returning})`,
      );
    }
  }
  const answers = [...locks.map(({ name, read }) => ({ name, columns: read })), ...steps.map(answerOf)];
  const columns = answers.flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column} AS "${name}.${column}"`),
  );
  const joined = answers.filter(({ name, columns }) => name !== last && columns.length > 0);
  return {
    sql: `WITH ${parts.join(',\n')}\nSELECT ${columns.join(', ') || '1 AS written'} FROM ${last}${joined.map(({ name }) => `, ${name}`).join('')}`,
    parameters,
  };
}

/** PostgreSQL takes parameters in a UNION for texts, so only rows of texts and of what steps gave share a statement. */
function isTyped(row: Insert['row']): boolean {
  return Object.values(row).every((value) => typeof value === 'string' || value instanceof Reference);
}

function answerOf({ name, returning = [] }: Step) {
  return { name, columns: returning };
}

/** The answer of {@link batchStatement}, by step. */
export function resultsOf(row: Row): Results {
  const results: Record<string, Row> = {};
  for (const [name, value] of Object.entries(row)) {
    const dot = name.indexOf('.');
    if (dot < 0) continue;
    const step = name.slice(0, dot);
    results[step] = { ...results[step], [name.slice(dot + 1)]: value };
  }
  return results;
}

/** Runs the batch step by step, for a database with one writer, inside its transaction. */
export async function runBatch(
  tx: Reader & { run(sql: string, parameters?: Parameters): Promise<number> },
  { locks, steps }: Batch,
): Promise<Results | undefined> {
  const results = await readLocks(tx, locks);
  if (results === undefined) return undefined;
  for (const group of groupsOf(steps)) {
    const [first] = group as [Step];
    const parameters: Record<string, Value> = {};
    let bound = 0;
    const bind = (value: Cell) => {
      const name = `b${bound++}`;
      parameters[name] = value instanceof Later ? value.value(results) : value;
      return `:${name}`;
    };
    const sql =
      'insert' in first
        ? `INSERT INTO ${known(first.insert)} (${Object.keys(first.row).map(known).join(', ')}) VALUES ${group
            .map(
              (step) =>
                `(${Object.values((step as typeof first).row)
                  .map(bind)
                  .join(', ')})`,
            )
            .join(', ')}`
        : `UPDATE ${known(first.update)} SET ${Object.entries(first.set)
            .map(([column, value]) => `${known(column)} = ${bind(value)}`)
            .join(', ')} WHERE ${Object.entries(first.where)
            .map(([column, value]) => `${known(column)} = ${bind(value)}`)
            .join(' AND ')}`;
    if (first.returning === undefined) {
      if ((await tx.run(sql, parameters)) !== group.length) throw new Error(`step ${first.name} wrote nothing`);
      continue;
    }
    const row = await tx.get(`${sql} RETURNING ${first.returning.map(known).join(', ')}`, parameters);
    if (row === undefined) throw new Error(`step ${first.name} wrote nothing`);
    results[first.name] = row;
  }
  return results;
}

async function readLocks(reader: Reader, locks: readonly Lock[]): Promise<Record<string, Row> | undefined> {
  const columns = locks.flatMap(({ name, read }) => read.map((column) => `${name}.${column} AS "${name}.${column}"`));
  const tables = locks.map(
    ({ name, table, where, read }) =>
      `(SELECT ${read.map(known).join(', ') || '1 AS locked'} FROM ${known(table)} WHERE ${where}) ${known(name)}`,
  );
  const row = await reader.get(
    `SELECT ${columns.join(', ') || '1 AS locked'} FROM ${tables.join(', ')}`,
    Object.assign({}, ...locks.map((lock) => lock.parameters)) as Parameters,
  );
  return row === undefined ? undefined : { ...resultsOf(row) };
}

/**
 * Neighbouring inserts of the same columns into the same table, whose answers nobody reads, are one statement.
 * @param fits whether a row may share a statement at all
 */
function groupsOf(steps: readonly Step[], fits: (row: Insert['row']) => boolean = () => true): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const before = groups.at(-1)?.[0];
    const joins =
      before !== undefined &&
      'insert' in step &&
      'insert' in before &&
      step.insert === before.insert &&
      step.returning === undefined &&
      before.returning === undefined &&
      Object.keys(step.row).join() === Object.keys(before.row).join() &&
      fits(before.row) &&
      fits(step.row);
    if (joins) groups.at(-1)!.push(step);
    else groups.push([step]);
  }
  return groups;
}
