/**
 * The record hashes in an entry of the audit log: one for each row that its write stored, by table and key.
 *
 * hash = `<format>:` and the hex of SHA-256(UTF-8(canonical JSON)), over the array `["clockproof record <format>",
 * salt, table, value, value, …]` with the values in the order of the columns (`record-formats.ts`). `salt` is
 * `people.record_salt` of the record's person: random, and deleted with the person, so a hash cannot be guessed back.
 * Records of a company have the empty salt.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Row, Value } from '@clockproof/platform/database/database';
import type { Change } from '@clockproof/platform/database/table';
import type { Tables } from '../../generated/tables.js';
import { type RecordTable, type RecordTableName, type RecordTables, recordTables } from './record-formats.js';
import type { EntryRow } from './rows.js';

export const recordTableNames = Object.keys(recordTables) as RecordTableName[];

export function isRecordTable(table: string): table is RecordTableName {
  return Object.hasOwn(recordTables, table);
}

/** A row as it was stored, of a table with records. */
export interface StoredRecord {
  readonly table: RecordTableName;
  readonly row: Row;
  readonly salt: string;
}

/** `absences 12`, `entry_versions 17.2`: the name of a record in an entry. */
export function recordKey(table: RecordTableName, row: Row): string {
  return `${table} ${recordTables[table].key.map((column) => row[column]).join('.')}`;
}

/** Whether a change may store or remove a record. One that only sets columns that do not count leaves records as they are. */
export function concernsRecords(change: Change, tables: RecordTables): boolean {
  if (!isRecordTable(change.table)) return false;
  if (change.verb !== 'update') return true;
  const { columns, later = [] } = tables[change.table];
  return [...columns, ...later.flatMap(Object.keys)].some((column) => Object.hasOwn(change.patch, column));
}

/** Whether a row is a record already, see `once`. */
export function isRecord(table: RecordTableName, row: Row): boolean {
  const { once } = recordTables[table];
  return once === undefined || row[once] !== null;
}

/** The person whose record a row is. */
export function personOf(table: RecordTableName, row: Row): number | undefined {
  const { person } = recordTables[table];
  return person === undefined ? undefined : ((row[person] as number | null) ?? undefined);
}

const newestFormat = ({ later = [] }: RecordTable) => 1 + later.length;

/** The hash of a record as stored. @throws {TypeError} the row lacks a column */
export function recordHash(
  { table, row, salt }: StoredRecord,
  tables: RecordTables = recordTables,
  format = newestFormat(tables[table]),
): string {
  const { columns, later = [] } = tables[table];
  const values = [...columns, ...later.slice(0, format - 1).flatMap(Object.keys)].map((column) =>
    storedValue(table, row, column),
  );
  const canonical = JSON.stringify([`clockproof record ${format}`, salt, table, ...values]);
  return `${format}:${createHash('sha256').update(canonical).digest('hex')}`;
}

/** True if a record is as it was hashed, in any format: columns since then have the value of the migration. */
export function fits(record: StoredRecord, hash: string, tables: RecordTables = recordTables): boolean {
  const format = Number(hash.slice(0, hash.indexOf(':')));
  const { [record.table]: table } = tables;
  if (!(format >= 1 && format <= newestFormat(table)) || recordHash(record, tables, format) !== hash) return false;
  return (table.later ?? [])
    .slice(format - 1)
    .every((columns) =>
      Object.entries(columns).every(([column, value]) => storedValue(record.table, record.row, column) === value),
    );
}

function storedValue(table: RecordTableName, row: Row, column: string): Value {
  const value = row[column];
  if (value === undefined) throw new TypeError(`a record of ${table} without ${column}`);
  return value as Value;
}

/** Hashes by record, as an entry keeps them; null for a record that was removed. */
export type RecordHashes = Readonly<Record<string, string | null>>;

/** The table of a record that an entry names. */
export function tableOfKey(record: string): RecordTableName | undefined {
  const table = record.slice(0, record.indexOf(' '));
  return isRecordTable(table) ? table : undefined;
}

/** The key columns of a record that an entry names, with their values. */
export function keyValues(table: RecordTableName, record: string): Readonly<Record<string, string | number>> {
  const values = record.slice(record.indexOf(' ') + 1).split('.');
  const last = recordTables[table].key.length - 1;
  return Object.fromEntries(
    recordTables[table].key.map((column, index) => {
      // The last one may have full stops itself.
      const value = index === last ? values.slice(last).join('.') : (values[index] ?? '');
      return [column, /^-?\d+$/.test(value) ? Number(value) : value];
    }),
  );
}

type Concerned = Pick<EntryRow, 'actor_kind' | 'actor_id' | 'subject' | 'details'>;

/**
 * The parties of an entry: the people who did it or whom it affects, and the extension that wrote it, by its key or
 * through a personal link. The table `audit_parties` is derived from the entries alone: it serves searches and proves
 * nothing.
 * @returns `person 12`, `extension ext_…`, each once, in the order of the text
 */
export function partiesOf({ actor_kind: kind, actor_id: id, subject, details }: Concerned): string[] {
  const { person, extension } = (details === null ? {} : JSON.parse(details)) as {
    person?: unknown;
    extension?: unknown;
  };
  const parties = [
    kind === 'person' && id !== null ? personParty(id) : undefined,
    subject?.startsWith('person ') === true ? subject : undefined,
    typeof person === 'number' ? personParty(person) : undefined,
    kind === 'extension' && id !== null ? extensionParty(id) : undefined,
    kind === 'personal_link' && typeof extension === 'string' ? extensionParty(extension) : undefined,
  ];
  return [...new Set(parties.filter((party) => party !== undefined))].sort();
}

export function personParty(id: number | string): string {
  return `person ${id}`;
}

export function extensionParty(id: string): string {
  return `extension ${id}`;
}

export type PartyRow = Tables['audit_parties'];

/** The rows of the search index for an entry: every column is derived, and compared by `audit verify`. */
export function partyRowsOf(entry: Concerned & Pick<EntryRow, 'at' | 'sequence'>): PartyRow[] {
  const { at, sequence } = entry;
  return partiesOf(entry).map((party) => ({ party, at, sequence }));
}

/** True if the stored rows of the search index are those of the entry. */
export function arePartyRows(storedRows: readonly PartyRow[], entry: EntryRow): boolean {
  const derivedRows = new Map(partyRowsOf(entry).map((row) => [row.party, row]));
  return (
    storedRows.length === derivedRows.size &&
    storedRows.every((row) => isDeepStrictEqual({ ...row }, derivedRows.get(row.party)))
  );
}
