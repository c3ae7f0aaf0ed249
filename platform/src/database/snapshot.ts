/**
 * A whole database as it was at one instant, while others go on writing to it: table by table, page by page, so that
 * memory stays bounded however large it is.
 */
import { existsSync } from 'node:fs';
import type { Reader, Row } from './database.js';
import { CannotOpen, type DatabaseSettings } from './open.js';

export interface SnapshotTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly isBytes: boolean }[];
  /** The last number that the table gave, 0 for none; absent if its rows do not number themselves. */
  readonly lastIdentity?: number;
}

export interface Snapshot extends Reader {
  /** Tables in order: each after those that its rows refer to. */
  tables(): Promise<readonly SnapshotTable[]>;
  /** All rows of a table, by pages of at most {@link pageRows}. */
  pages(table: SnapshotTable): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

export const pageRows = 500;

/** @throws {CannotOpen} there is no such file; {SchemaUnknown} it is not ours; {DatabaseUnavailable} */
export async function openSnapshot(settings: DatabaseSettings): Promise<Snapshot> {
  if (settings.driver === 'postgres')
    return (await import('./postgres-snapshot.js')).openPostgresSnapshot(settings.dsn);
  if (!existsSync(settings.dsn)) throw new CannotOpen(`there is no database at ${settings.dsn}`);
  return (await import('./sqlite-snapshot.js')).openSqliteSnapshot(settings.dsn);
}

export interface DescribedColumn {
  readonly table_name: string;
  readonly name: string;
  readonly type: string;
}
export interface Reference {
  readonly child: string;
  readonly parent: string;
}

/** Puts tables after those that their rows refer to, otherwise by name. @param last numbers given, by table */
export function describeTables(
  columns: readonly DescribedColumn[],
  references: readonly Reference[],
  last: ReadonlyMap<string, number>,
): SnapshotTable[] {
  const byName = new Map<string, DescribedColumn[]>();
  for (const column of columns) byName.set(column.table_name, [...(byName.get(column.table_name) ?? []), column]);
  const orderedNames = new Set<string>();
  const place = (name: string, above: readonly string[]) => {
    if (orderedNames.has(name)) return;
    if (above.includes(name)) throw new TypeError(`tables refer to each other: ${[...above, name].join(', ')}`);
    for (const { child, parent } of references) if (child === name && parent !== name) place(parent, [...above, name]);
    orderedNames.add(name);
  };
  for (const name of [...byName.keys()].sort()) place(name, []);
  return [...orderedNames].map((name) => ({
    name,
    columns: byName.get(name)!.map((column) => ({ name: column.name, isBytes: /^(BLOB|bytea)$/.test(column.type) })),
    ...(last.has(name) ? { lastIdentity: last.get(name)! } : {}),
  }));
}
