import type { Parameters, Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../../generated/tables.js';
import type { PersonId } from '../ids.js';
import { span } from '../position.js';
import { type CompanyScope, within } from '../scope.js';
import { familyOf } from './actions.js';
import { type RecordTable, type RecordTableName, recordTables } from './record-formats.js';
import {
  extensionParty,
  isRecord,
  keyValues,
  type PartyRow,
  partyRowsOf,
  personOf,
  personParty,
  type StoredRecord,
} from './records.js';

export type EntryRow = Tables['audit_entries'];

export type HeadRow = Tables['audit_heads'];

/** The head of an empty log. The root of nothing is SHA-256 of the empty text (RFC 6962 §2.1). */
export const emptyHead: HeadRow = {
  size: 0,
  previous: 0,
  last: 0,
  latest_at: 0,
  entries: '[]',
  frontier: '',
  root: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  at: 0,
  signature: null,
};

/** The newest head of the log. */
export async function readHead(reader: Reader): Promise<HeadRow> {
  return (await reader.get<HeadRow>('SELECT * FROM audit_heads ORDER BY size DESC LIMIT 1')) ?? emptyHead;
}

/** The newest head without entries from an instant on. */
export function findHeadBefore(reader: Reader, at: Instant): Promise<HeadRow | undefined> {
  return reader.get<HeadRow>(
    'SELECT * FROM audit_heads WHERE latest_at < :at ORDER BY latest_at DESC, size DESC LIMIT 1',
    { at },
  );
}

/** The subset of roots that are the root of a head. */
export async function rootsOfHeads(reader: Reader, roots: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await reader.all<{ root: string }>(
    `SELECT root FROM audit_heads WHERE root IN (SELECT root FROM ${reader.dialect.jsonRows('audit_heads', ['root'], ':roots')} r)`,
    { roots: JSON.stringify(roots.map((root) => ({ root }))) },
  );
  return new Set(rows.map(({ root }) => root));
}

/** Heads after one of them, oldest first. */
export function headsAfter(reader: Reader, size: number, limit: number): Promise<HeadRow[]> {
  return reader.all<HeadRow>('SELECT * FROM audit_heads WHERE size > :size ORDER BY size LIMIT :limit', {
    size,
    limit,
  });
}

/** The places of entries in the sealed log, from 1 on; without those that are not sealed. */
export async function placesInLog(reader: Reader, sequences: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const heads = await reader.all<Pick<HeadRow, 'size' | 'entries'>>(
    `SELECT size, entries FROM audit_heads WHERE last IN (SELECT (SELECT min(last) FROM audit_heads WHERE last >= e.sequence)
       FROM ${reader.dialect.jsonRows('audit_entries', ['sequence'], ':entries')} e)`,
    { entries: JSON.stringify(sequences.map((sequence) => ({ sequence }))) },
  );
  const places = new Map<number, number>();
  for (const head of heads) {
    const entries = JSON.parse(head.entries) as number[];
    for (const [index, sequence] of entries.entries()) places.set(sequence, head.size - entries.length + index + 1);
  }
  return places;
}

export function sendEntry(tx: Pick<Transaction, 'dialect' | 'send'>, row: EntryRow): void {
  tx.send({ verb: 'insert', table: 'audit_entries', row: { ...row } });
  const parties = partyRowsOf(row);
  if (parties.length === 0) return;
  const { sequence, at } = row;
  tx.send({
    verb: 'insertFrom',
    table: 'audit_parties',
    columns: ['party', 'at', 'sequence'],
    select: `VALUES ${parties.map((_, index) => `(:party_${index}, CAST(:at AS ${tx.dialect.integer}), CAST(:sequence AS ${tx.dialect.integer}))`).join(', ')}`,
    parameters: { sequence, at, ...Object.fromEntries(parties.map(({ party }, index) => [`party_${index}`, party])) },
  });
}

/** The search index of the entries in a range of numbers, both ends included. */
export function partiesBetween(reader: Reader, from: number, to: number): Promise<PartyRow[]> {
  return reader.all('SELECT * FROM audit_parties WHERE sequence >= :from AND sequence <= :to', { from, to });
}

/** Entries after a number and up to another, oldest first. */
export function entriesAfter(
  reader: Reader,
  range: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    'SELECT * FROM audit_entries WHERE sequence > :after AND sequence <= :upTo ORDER BY sequence LIMIT :limit',
    range,
  );
}

/** Places of transactions that have an event and no entry in the log: it was removed. */
export async function eventsWithoutEntry(reader: Reader, after: number, upTo: number): Promise<number[]> {
  const rows = await reader.all<{ place: number }>(
    `SELECT DISTINCT e.sequence - e.sequence % ${span} AS place FROM events e WHERE e.sequence > :after AND e.sequence <= :upTo
       AND NOT EXISTS (SELECT 1 FROM audit_entries a WHERE a.sequence >= e.sequence - e.sequence % ${span} AND a.sequence < e.sequence - e.sequence % ${span} + ${span})
     ORDER BY place LIMIT 1000`,
    { after, upTo },
  );
  return rows.map(({ place }) => place);
}

export interface AuditFilter {
  /** Instants: from, and before. */
  readonly from: number;
  readonly before: number;
  /** Entries by or about this person. */
  readonly personId?: PersonId | undefined;
  /** The actor. For an extension, this includes entries of its key and of its personal links. */
  readonly actorId?: string | undefined;
  /** An action; with a trailing dot, every action below it. */
  readonly action?: string | undefined;
  /** A further condition over the entries `e`. */
  readonly condition?: { readonly sql: string; readonly parameters: Parameters } | undefined;
}

/** A place in the order of searches: by time, and entries of the same instant by number. */
export interface SearchPlace {
  readonly at: number;
  readonly sequence: number;
}

/** Entries before a place, newest first. With every company, includes those that concern none. */
export function listEntriesBack(
  reader: Reader,
  scope: CompanyScope,
  filter: AuditFilter,
  before: SearchPlace | undefined,
  limit: number,
): Promise<EntryRow[]> {
  const { from, by, parameters } = searchOf(scope, filter, { before });
  return reader.all<EntryRow>(`SELECT e.* FROM ${from} ORDER BY ${by}.at DESC, ${by}.sequence DESC LIMIT :limit`, {
    ...parameters,
    limit,
  });
}

/** Entries behind a place, without those above a number, oldest first. */
export function listEntriesOn(
  reader: Reader,
  scope: CompanyScope,
  filter: AuditFilter,
  { after, upTo, limit }: { readonly after: SearchPlace | undefined; readonly upTo: number; readonly limit: number },
): Promise<EntryRow[]> {
  const { from, by, parameters } = searchOf(scope, filter, { after });
  return reader.all<EntryRow>(
    `SELECT e.* FROM ${from} AND ${by}.sequence <= :upTo ORDER BY ${by}.at, ${by}.sequence LIMIT :limit`,
    { ...parameters, upTo, limit },
  );
}

/** The number of entries, without those above a sequence number. */
export async function countEntries(
  reader: Reader,
  scope: CompanyScope,
  filter: AuditFilter,
  upTo: number,
): Promise<number> {
  const { from, by, parameters } = searchOf(scope, filter, {});
  return (await reader.get<{ n: number }>(`SELECT count(*) AS n FROM ${from} AND ${by}.sequence <= :upTo`, {
    ...parameters,
    upTo,
  }))!.n;
}

interface Search {
  /** `audit_entries e WHERE …` */
  readonly from: string;
  /** The table whose index has the order: `e`, or `p` for the parties. */
  readonly by: 'e' | 'p';
  readonly parameters: Parameters;
}

/**
 * The entries between two places that fit a filter. A person is found by the parties. An extension is as well, unless
 * an action other than a stamp is asked for: stamps are nearly all entries, and the indexes by action leave them out.
 */
function searchOf(
  scope: CompanyScope,
  { from, before, personId, actorId, action, condition }: AuditFilter,
  places: { readonly after?: SearchPlace | undefined; readonly before?: SearchPlace | undefined },
): Search {
  const person = personId === undefined ? undefined : personParty(personId);
  const extension = actorId?.startsWith('ext_') === true ? extensionParty(actorId) : undefined;
  const family = action === undefined ? undefined : familyOf(action);
  const isRare = family !== undefined && family !== 'clock';
  const party = person ?? (isRare ? undefined : extension);
  const by = party === undefined ? 'e' : 'p';
  const isActor = actorId !== undefined && extension === undefined;
  // Actions and actors have fewer entries than a company. SQLite has no statistics: the CAST, which PostgreSQL leaves
  // out, keeps it from the index by company.
  const company = within(scope, { company: isRare || isActor ? 'CAST(e.company_id AS BIGINT)' : 'e.company_id' });
  const [after, until] = [places.after ?? { at: from, sequence: 0 }, places.before ?? { at: before, sequence: 0 }];
  return {
    from: `${party === undefined ? '' : 'audit_parties p CROSS JOIN '}audit_entries e
      WHERE (${by}.at, ${by}.sequence) > (:afterAt, :afterSequence) AND (${by}.at, ${by}.sequence) < (:beforeAt, :beforeSequence)
      ${party === undefined ? '' : 'AND p.party = :party AND e.sequence = p.sequence'}
      ${extension === undefined || extension === party ? '' : 'AND EXISTS (SELECT 1 FROM audit_parties x WHERE x.party = :extension AND x.at = e.at AND x.sequence = e.sequence)'}
      ${isActor ? 'AND e.actor_id = :actorId' : ''}
      ${action === undefined ? '' : action.endsWith('.') ? 'AND e.family = :family' : 'AND e.action = :action'}
      ${isRare ? "AND e.family <> 'clock'" : ''} ${company.sql} ${condition === undefined ? '' : `AND ${condition.sql}`}`,
    by,
    parameters: {
      ...company.parameters,
      ...condition?.parameters,
      afterAt: after.at,
      afterSequence: after.sequence,
      beforeAt: until.at,
      beforeSequence: until.sequence,
      party: party ?? '',
      extension: extension ?? '',
      actorId: actorId ?? '',
      family: family ?? '',
      action: action ?? '',
    },
  };
}

/** Entries of an actor, newest first. */
export function entriesOfActor(
  reader: Reader,
  kind: string,
  id: string,
  before: SearchPlace | undefined,
  limit: number,
): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    `SELECT * FROM audit_entries WHERE actor_id = :id AND actor_kind = :kind ${before === undefined ? '' : 'AND (at, sequence) < (:at, :sequence)'}
     ORDER BY at DESC, sequence DESC LIMIT :limit`,
    { kind, id, at: before?.at ?? 0, sequence: before?.sequence ?? 0, limit },
  );
}

/** Entries by extensions for a person, with their company's keys, newest first. */
export function entriesByKeysFor(
  reader: Reader,
  personId: PersonId,
  before: SearchPlace | undefined,
  limit: number,
): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    `SELECT e.* FROM audit_parties p CROSS JOIN audit_entries e
     WHERE p.party = :party AND e.sequence = p.sequence AND e.actor_kind = 'extension' AND e.family IN ('clock', 'absence')
       ${before === undefined ? '' : 'AND (p.at, p.sequence) < (:at, :sequence)'} ORDER BY p.at DESC, p.sequence DESC LIMIT :limit`,
    { party: personParty(personId), at: before?.at ?? 0, sequence: before?.sequence ?? 0, limit },
  );
}

export async function newestOfActor(reader: Reader, kind: string, id: string): Promise<EntryRow | undefined> {
  return (await entriesOfActor(reader, kind, id, undefined, 1))[0];
}

/** A statement has room for so many parameters, and more. */
const saltsPerStatement = 500;

/** `people.record_salt` by person, without erased people. */
export async function readSalts(reader: Reader, people: readonly number[]): Promise<ReadonlyMap<unknown, string>> {
  const salts = new Map<unknown, string>();
  for (let offset = 0; offset < people.length; offset += saltsPerStatement) {
    const batch = people.slice(offset, offset + saltsPerStatement);
    const rows = await reader.all<{ id: number; record_salt: string }>(
      `SELECT id, record_salt FROM people WHERE id IN (${batch.map((_, index) => `:id_${index}`).join(', ')})`,
      Object.fromEntries(batch.map((id, index) => [`id_${index}`, id])),
    );
    for (const row of rows) salts.set(row.id, row.record_salt);
  }
  return salts;
}

/** The newest entry that says that DATA_KEY was lost and replaced. */
export function findKeyReplacement(reader: Reader): Promise<EntryRow | undefined> {
  return reader.get<EntryRow>(
    "SELECT * FROM audit_entries WHERE action = 'audit.key_replaced' AND family <> 'clock' ORDER BY sequence DESC LIMIT 1",
  );
}

/** The first entry of the signed part of the log. */
export async function findSigningStart(reader: Reader): Promise<number | undefined> {
  return (
    (
      await reader.get<{ sequence: number | null }>(
        "SELECT min(sequence) AS sequence FROM audit_entries WHERE action = 'audit.signed' AND family <> 'clock'",
      )
    )?.sequence ?? undefined
  );
}

/** Records of a table behind one of them, in the order of their keys, each with the salt of its person. */
export async function recordsAfter(
  reader: Reader,
  table: RecordTableName,
  after: StoredRecord | undefined,
  limit: number,
): Promise<StoredRecord[]> {
  const { key, person, once }: RecordTable = recordTables[table];
  const columns = key.map((column) => `r.${column}`).join(', ');
  const conditions = [
    ...(once === undefined ? [] : [`r.${once} IS NOT NULL`]),
    ...(after === undefined ? [] : [`(${columns}) > (${key.map((column) => `:after_${column}`).join(', ')})`]),
  ];
  const rows = await reader.all(
    `SELECT r.*, ${person === undefined ? "''" : "COALESCE(p.record_salt, '')"} AS record_salt_of_person FROM ${table} r
     ${person === undefined ? '' : `LEFT JOIN people p ON p.id = r.${person}`}
     ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
     ORDER BY ${columns} LIMIT :limit`,
    {
      limit,
      ...(after === undefined
        ? {}
        : Object.fromEntries(key.map((column) => [`after_${column}`, after.row[column] as string | number]))),
    },
  );
  return rows.map(({ record_salt_of_person: salt, ...row }) => ({ table, row, salt: salt as string }));
}

export async function findRecord(
  reader: Reader,
  table: RecordTableName,
  record: string,
): Promise<StoredRecord | undefined> {
  const values = keyValues(table, record);
  const [row] = await reader.all(
    `SELECT * FROM ${table} WHERE ${Object.keys(values)
      .map((column) => `${column} = :${column}`)
      .join(' AND ')}`,
    values,
  );
  if (row === undefined || !isRecord(table, row)) return undefined;
  const person = personOf(table, row);
  const salts = await readSalts(reader, person === undefined ? [] : [person]);
  return { table, row, salt: salts.get(person) ?? '' };
}
