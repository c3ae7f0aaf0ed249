/**
 * One prepared statement on one connection of the `pg` driver, as a query object of its own (the interface that
 * pg-cursor and pg-query-stream use). The driver's query asks for the columns of the answer at every execution; here a
 * connection is asked once per statement. PostgreSQL refuses a statement whose columns have changed since (`0A000`,
 * "cached plan must not change result type"), so what was learnt stays true for as long as the connection lives.
 */
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

/** @param parserOf how a value of a type (its OID) is read from its text */
export function preparedQuery(
  { name, text }: PreparedStatement,
  values: readonly Value[],
  parserOf: (type: number) => (text: string) => unknown,
  resolve: (answer: Answered) => void,
  reject: (error: unknown) => void,
) {
  const rows: Row[] = [];
  let columns: readonly Column[] | undefined;
  let failed: unknown;
  let count = 0;
  return {
    // The driver keeps the text of every named statement it has parsed under this name.
    name,
    text,
    submit(connection: Connection): void {
      columns = described.get(connection)?.get(name);
      connection.stream.cork();
      try {
        if (
          connection.parsedStatements[name] === undefined &&
          connection.submittedNamedStatements[name] === undefined
        ) {
          connection.parse({ name, text });
          connection.submittedNamedStatements[name] = text;
        }
        connection.bind({ statement: name, values, valueMapper: bound });
        if (columns === undefined) connection.describe({ type: 'P', name: '' });
        connection.execute({});
        connection.sync();
      } finally {
        connection.stream.uncork();
      }
    },
    handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
      columns = fields.map((field) => ({ name: field.name, parse: parserOf(field.dataTypeID) }));
    },
    handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
      const row: Row = {};
      try {
        for (let index = 0; index < fields.length; index++) {
          const column = columns![index]!;
          const field = fields[index]!;
          row[column.name] = field === null ? null : column.parse(field);
        }
        rows.push(row);
      } catch (error) {
        failed = error;
      }
    },
    handleCommandComplete({ text: tag }: { readonly text: string }, connection: Connection): void {
      count = Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0;
      const known = described.get(connection) ?? new Map<string, readonly Column[]>();
      described.set(connection, known.set(name, columns ?? []));
    },
    handleReadyForQuery(): void {
      if (failed === undefined) resolve({ rows, count });
      else reject(failed);
    },
    handleError(error: unknown): void {
      reject(error);
    },
    // Asked for by the driver, never sent to a statement like these.
    handleEmptyQuery(): void {},
    handlePortalSuspended(): void {},
    handleCopyInResponse(connection: { sendCopyFail(reason: string): void }): void {
      connection.sendCopyFail('no data to copy');
    },
    handleCopyData(): void {},
  };
}
