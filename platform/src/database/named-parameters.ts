/**
 * `:name` in SQL, for both drivers. SQLite numbers names in the order of first appearance; PostgreSQL wants `$1, $2, …`
 * in that order.
 * Names inside quotes, after a colon (`::` casts) and in comments are left alone.
 */
import type { Parameters, Value } from './database.js';

export interface NamedStatement {
  /** Each name once, in order of first appearance. */
  readonly names: readonly string[];
  /** The text with `$n` in place of names. */
  readonly positional: string;
}

const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:([a-z_][a-z0-9_]*)/gi;

export function parseNamedParameters(sql: string): NamedStatement {
  const names: string[] = [];
  const positional = sql.replace(token, (text, name: string | undefined) => {
    if (name === undefined) return text;
    const index = names.indexOf(name);
    return `$${index >= 0 ? index + 1 : names.push(name)}`;
  });
  return { names, positional };
}

/** The value of each name, in order. A name without a value is a mistake of the caller, never NULL. */
export function valuesOf(statement: NamedStatement, parameters: Parameters): Value[] {
  return statement.names.map((name) => {
    const value = parameters[name];
    if (value === undefined) throw new TypeError(`no value for the SQL parameter :${name}`);
    return value instanceof Uint8Array && !Buffer.isBuffer(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : value;
  });
}
