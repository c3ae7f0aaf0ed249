/**
 * The records that the audit log vouches for: which tables, which columns, and the hash of a row. Each version of a
 * record has its hash in the audit entry that caused it.
 *
 * hash = `1:` and the hex of SHA-256(UTF-8(canonical JSON)), over the array
 * `["clockproof record 1", salt, name, value, value, …]` with the values in the order of `columns`. `salt` is
 * `people.record_salt` of the record's person: random, and deleted with the person, so a hash cannot be guessed back.
 * The format has a number: columns added later need format 2, and hashes of format 1 stay verifiable.
 */
import { createHash } from 'node:crypto';
import type { Row } from '@clockproof/platform/database/database';
import type { Tables } from '../../generated/tables.js';
import type { EntryRow } from './rows.js';

/** Columns that are no part of the record: positions of the feeds. */
type Unhashed = 'changed';

interface RecordTable<Name extends keyof Tables> {
  /** What an entry calls it: `absence 12`. */
  readonly name: string;
  readonly key: readonly (keyof Tables[Name] & string)[];
  readonly columns: readonly (keyof Tables[Name] & string)[];
  /** Whether the records belong to a person. */
  readonly personal: boolean;
}

/** Compiles only where `columns` has every column but the unhashed ones. */
function recordTable<Name extends keyof Tables>() {
  return <const Columns extends readonly (keyof Tables[Name] & string)[]>(
    table: RecordTable<Name> & {
      readonly columns: Columns;
    } & (Exclude<keyof Tables[Name], Columns[number] | Unhashed> extends never
        ? unknown
        : { readonly missing: Exclude<keyof Tables[Name], Columns[number] | Unhashed> }),
  ): RecordTable<Name> => table;
}

export const recordTables = {
  time_entries: recordTable<'time_entries'>()({
    name: 'entry',
    key: ['id'],
    personal: true,
    columns: [
      'id',
      'company_id',
      'person_id',
      'date',
      'start_at',
      'end_at',
      'breaks',
      'status',
      'source_kind',
      'source_id',
      'source_name',
      'proof',
      'comment',
      'break_rules',
      'stamps',
      'created_at',
      'updated_at',
    ],
  }),
  entry_versions: recordTable<'entry_versions'>()({
    name: 'version',
    key: ['entry_id', 'version'],
    personal: true,
    columns: [
      'entry_id',
      'version',
      'person_id',
      'at',
      'changed_by',
      'source_name',
      'change',
      'reason',
      'date',
      'start_at',
      'end_at',
      'breaks',
      'status',
      'stamps',
    ],
  }),
  corrections: recordTable<'corrections'>()({
    name: 'correction',
    key: ['id'],
    personal: true,
    columns: [
      'id',
      'company_id',
      'person_id',
      'entry_id',
      'remove',
      'start_at',
      'end_at',
      'breaks',
      'reason',
      'status',
      'requested_by',
      'requested_at',
      'decided_by',
      'decided_at',
      'decision_reason',
    ],
  }),
  absences: recordTable<'absences'>()({
    name: 'absence',
    key: ['id'],
    personal: true,
    columns: [
      'id',
      'company_id',
      'person_id',
      'type',
      'start_date',
      'end_date',
      'half_day',
      'half_days',
      'comment',
      'status',
      'extension_id',
      'external_id',
      'author_kind',
      'author_person_id',
      'author_name',
      'created_at',
      'updated_at',
    ],
  }),
  approvals: recordTable<'approvals'>()({
    name: 'approval',
    key: ['id'],
    personal: true,
    columns: [
      'id',
      'company_id',
      'person_id',
      'kind',
      'subject_id',
      'from_date',
      'to_date',
      'status',
      'requested_at',
      'decided_by',
      'decided_at',
      'comment',
    ],
  }),
  closed_months: recordTable<'closed_months'>()({
    name: 'month',
    key: ['company_id', 'month'],
    personal: false,
    columns: ['company_id', 'month', 'closed_at', 'closed_by'],
  }),
  month_balances: recordTable<'month_balances'>()({
    name: 'balance',
    key: ['company_id', 'month', 'person_id'],
    personal: true,
    columns: [
      'company_id',
      'month',
      'person_id',
      'target_minutes',
      'worked_minutes',
      'difference_minutes',
      'absence_half_days',
      'findings',
    ],
  }),
  person_changes: recordTable<'person_changes'>()({
    name: 'person_change',
    key: ['id'],
    personal: true,
    columns: ['id', 'person_id', 'at', 'changes'],
  }),
} as const;

export type RecordTableName = keyof typeof recordTables;

export const recordTableNames = Object.keys(recordTables) as RecordTableName[];

/** A row as it was stored, of one of the tables above. */
export interface StoredRecord {
  readonly table: RecordTableName;
  readonly row: Row;
  readonly salt: string;
}

/** `absence 12`, `version 17.2`, `balance 1.2026-10.12`: what an entry calls a record. */
export function recordKey(table: RecordTableName, row: Row): string {
  const { name, key } = recordTables[table];
  return `${name} ${(key as readonly string[]).map((column) => row[column]).join('.')}`;
}

export const recordFormat = 1;

/** The hash of a record as stored. @throws {TypeError} the row lacks a column */
export function recordHash({ table, row, salt }: StoredRecord): string {
  const { name, columns } = recordTables[table];
  const values = columns.map((column) => {
    const value = row[column];
    if (value === undefined) throw new TypeError(`a record of ${table} without ${column}`);
    return value;
  });
  const canonical = JSON.stringify([`clockproof record ${recordFormat}`, salt, name, ...values]);
  return `${recordFormat}:${createHash('sha256').update(canonical).digest('hex')}`;
}

/** Hashes by record, as an entry keeps them; null for a record that was removed. */
export type RecordHashes = Readonly<Record<string, string | null>>;

/** The table of a record that an entry names. */
export function tableOfKey(record: string): RecordTableName | undefined {
  const [name] = record.split(' ');
  return recordTableNames.find((table) => recordTables[table].name === name);
}

/** The key columns of a record that an entry names, with their values. */
export function keyValues(table: RecordTableName, record: string): Readonly<Record<string, string | number>> {
  const values = record.slice(record.indexOf(' ') + 1).split('.');
  return Object.fromEntries(
    recordTables[table].key.map((column, index) => {
      const value = values[index] ?? '';
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

/** True if the stored parties match the entry. */
export function areParties(stored: readonly string[], entry: Concerned): boolean {
  const derived = partiesOf(entry);
  return stored.length === derived.length && derived.every((party) => stored.includes(party));
}
