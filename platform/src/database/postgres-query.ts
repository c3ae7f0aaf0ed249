/**
 * One prepared statement on one connection of the `pg` driver. The driver's own query asks for the columns of the
 * answer at every execution; this one asks once per statement and connection. PostgreSQL refuses a statement whose
 * columns have changed since (`0A000`, "cached plan must not change result type"), so what was learnt stays true for as
 * long as the connection lives.
 */
import pgPromise from 'pg-promise';
import type { Row, Value } from './database.js';
import type { NamedStatement } from './named-parameters.js';

export interface PreparedStatement {
  /** Unique per text: what the statement is called on every connection. */
  readonly name: string;
  readonly text: string;
  readonly named: NamedStatement;
}

export interface Answered {
  readonly rows: Row[];
  /** Rows returned or changed. */
  readonly count: number;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** What this file uses of the driver's `Connection`. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly Value[]; valueMapper: (value: Value) => unknown }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Columns by statement, learnt per connection. */
const described = new WeakMap<Connection, Map<string, readonly Column[]>>();

const bound = (value: Value) => (typeof value === 'number' ? String(value) : value);

export const pgp = pgPromise({ noWarnings: true });
// Whole numbers only, and none beyond 2^53: sums and counts come back as bigint or numeric.
pgp.pg.types.setTypeParser(pgp.pg.types.builtins.INT8, Number);
pgp.pg.types.setTypeParser(pgp.pg.types.builtins.NUMERIC, Number);
const parserOf = (type: number) => pgp.pg.types.getTypeParser(type, 'text') as (text: string) => unknown;

/** The driver lets only its own kind of query take part in a pipeline. */
const { Query } = pgp.pg as unknown as { Query: new (config: { name: string; text: string }) => object };

/** A statement with its values. */
export interface Bound {
  readonly statement: PreparedStatement;
  readonly values: readonly Value[];
}

/** Whether a statement has been prepared on a connection. */
export function isPrepared({ connection }: { readonly connection: object }, { name }: PreparedStatement): boolean {
  return (connection as Connection).parsedStatements[name] !== undefined;
}

export class PreparedQuery extends Query {
  readonly #answers: Answered[] = [];
  #rows: Row[] = [];
  #columns: (readonly Column[] | undefined)[] = [];
  #failed: unknown;

  /**
   * @param statements executed one after the other, in one message and, outside of a transaction, in one transaction. If
   * one fails, the server skips the rest. All but the last are prepared on the connection: the driver notes the name of
   * one only.
   */
  constructor(
    readonly statements: readonly Bound[],
    readonly resolve: (answers: readonly Answered[]) => void,
    readonly reject: (error: unknown) => void,
  ) {
    super(statements.at(-1)!.statement);
  }

  submit(connection: Connection): void {
    const { stream } = connection;
    // What is asked in the same turn goes out together.
    stream.cork();
    process.nextTick(() => stream.uncork());
    const known = described.get(connection);
    for (const { statement, values } of this.statements) {
      const { name, text } = statement;
      const columns = known?.get(name);
      this.#columns.push(columns);
      if (connection.parsedStatements[name] === undefined && connection.submittedNamedStatements[name] === undefined) {
        connection.parse({ name, text });
        connection.submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values, valueMapper: bound });
      if (columns === undefined) connection.describe({ type: 'P', name: '' });
      connection.execute({});
    }
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#columns[this.#answers.length] = fields.map((field) => ({
      name: field.name,
      parse: parserOf(field.dataTypeID),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const columns = this.#columns[this.#answers.length]!;
    const row: Row = {};
    try {
      for (let index = 0; index < fields.length; index++) {
        const column = columns[index]!;
        const field = fields[index]!;
        row[column.name] = field === null ? null : column.parse(field);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#failed = error;
    }
  }

  handleCommandComplete({ text: tag }: { readonly text: string }, connection: Connection): void {
    const { name } = this.statements[this.#answers.length]!.statement;
    const known = described.get(connection) ?? new Map<string, readonly Column[]>();
    described.set(connection, known.set(name, this.#columns[this.#answers.length] ?? []));
    this.#answers.push({ rows: this.#rows, count: Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0 });
    this.#rows = [];
  }

  handleReadyForQuery(): void {
    if (this.#failed === undefined) this.resolve(this.#answers);
    else this.reject(this.#failed);
  }

  handleError(error: unknown): void {
    this.reject(error);
  }
}
