import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Tables } from '../generated/tables.js';
import type { PersonId } from '../ids.js';
import { insert, update } from '../tables.js';
import { type CompanyScope, within } from '../tenant/scope.js';
import {
  extensionParty,
  keyValues,
  partiesOf,
  personParty,
  type RecordTableName,
  recordTables,
  type StoredRecord,
} from './records.js';

export type EntryRow = Tables['audit_entries'];

export type Head = Omit<Tables['audit_head'], 'one'>;

export async function lockHead(tx: Transaction): Promise<Head> {
  return (await tx.get<Head>(
    `SELECT sequence, hash, adopt_at, adopted_from, signed_from FROM audit_head WHERE one = 1${tx.dialect.forUpdate}`,
  ))!;
}

export async function readHead(reader: Reader): Promise<Head> {
  return (await reader.get<Head>(
    'SELECT sequence, hash, adopt_at, adopted_from, signed_from FROM audit_head WHERE one = 1',
  ))!;
}

export async function moveHead(tx: Transaction, sequence: number, hash: string): Promise<void> {
  await update(tx, 'audit_head', { one: 1 }, { sequence, hash });
}

export async function insertEntry(tx: Transaction, row: EntryRow): Promise<void> {
  await insert(tx, 'audit_entries', row);
  await insertParties(tx, row);
}

async function insertParties(tx: Transaction, row: EntryRow): Promise<void> {
  const parties = partiesOf(row);
  if (parties.length === 0) return;
  await tx.run(
    `INSERT INTO audit_parties (party, sequence) VALUES ${parties.map((_, index) => `(:party${index}, :sequence)`).join(', ')} ON CONFLICT DO NOTHING`,
    { sequence: row.sequence, ...Object.fromEntries(parties.map((party, index) => [`party${index}`, party])) },
  );
}

/** During an upgrade, an older replica appends entries without parties: adds them for entries since an instant. */
export async function completeParties(tx: Transaction, since: number): Promise<void> {
  const bare = await tx.all<EntryRow>(
    'SELECT * FROM audit_entries e WHERE e.at >= :since AND NOT EXISTS (SELECT 1 FROM audit_parties p WHERE p.sequence = e.sequence)',
    { since },
  );
  for (const row of bare) await insertParties(tx, row);
}

/** The parties of the entries in a range of numbers, both ends included. */
export function partiesBetween(
  reader: Reader,
  from: number,
  to: number,
): Promise<{ readonly sequence: number; readonly party: string }[]> {
  return reader.all('SELECT sequence, party FROM audit_parties WHERE sequence >= :from AND sequence <= :to', {
    from,
    to,
  });
}

export function entriesAfter(reader: Reader, sequence: number, limit: number): Promise<EntryRow[]> {
  return reader.all<EntryRow>('SELECT * FROM audit_entries WHERE sequence > :sequence ORDER BY sequence LIMIT :limit', {
    sequence,
    limit,
  });
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
}

/** Entries before a number, newest first. With every company, includes those that concern none. */
export function listEntriesBack(
  reader: Reader,
  scope: CompanyScope,
  filter: AuditFilter,
  beforeSequence: number | undefined,
  limit: number,
): Promise<EntryRow[]> {
  return listEntries(
    reader,
    scope,
    filter,
    beforeSequence === undefined ? '' : 'AND sequence < :sequence',
    'DESC',
    beforeSequence ?? 0,
    limit,
  );
}

/** Entries after a number, oldest first. */
export function listEntriesOn(
  reader: Reader,
  scope: CompanyScope,
  filter: AuditFilter,
  afterSequence: number,
  limit: number,
): Promise<EntryRow[]> {
  return listEntries(reader, scope, filter, 'AND sequence > :sequence', 'ASC', afterSequence, limit);
}

/** How many entries there are, and the number of the last one; 0 if there is none. */
export async function countEntries(
  reader: Reader,
  scope: CompanyScope,
  filter: AuditFilter,
): Promise<{ readonly count: number; readonly last: number }> {
  const { sql, parameters } = within(scope, { company: 'company_id' });
  const { conditions, values } = conditionsOf(filter);
  return (await reader.get<{ count: number; last: number }>(
    `SELECT count(*) AS count, COALESCE(max(sequence), 0) AS last FROM audit_entries WHERE ${conditions} ${sql}`,
    { ...parameters, ...values },
  ))!;
}

async function listEntries(
  reader: Reader,
  scope: CompanyScope,
  filter: AuditFilter,
  position: string,
  order: 'ASC' | 'DESC',
  sequence: number,
  limit: number,
): Promise<EntryRow[]> {
  const { sql, parameters } = within(scope, { company: 'company_id' });
  const { conditions, values } = conditionsOf(filter);
  return reader.all<EntryRow>(
    `SELECT * FROM audit_entries WHERE ${conditions} ${sql} ${position} ORDER BY sequence ${order} LIMIT :limit`,
    { ...parameters, ...values, sequence, limit },
  );
}

function conditionsOf({ from, before, personId, actorId, action }: AuditFilter) {
  const below = action?.endsWith('.') === true;
  const byExtension = actorId?.startsWith('ext_') === true;
  const concerns = (name: string) => `AND sequence IN (SELECT sequence FROM audit_parties WHERE party = :${name})`;
  return {
    conditions: `at >= :from AND at < :before
      ${personId === undefined ? '' : concerns('person')}
      ${actorId === undefined ? '' : byExtension ? concerns('extension') : 'AND actor_id = :actorId'}
      ${action === undefined ? '' : below ? 'AND substr(action, 1, :actionLength) = :action' : 'AND action = :action'}`,
    values: {
      from,
      before,
      person: personId === undefined ? '' : personParty(personId),
      extension: extensionParty(actorId ?? ''),
      actorId: actorId ?? '',
      action: action ?? '',
      actionLength: action?.length ?? 0,
    },
  };
}

/** Entries of an actor, newest first. */
export function entriesOfActor(
  reader: Reader,
  kind: string,
  id: string,
  beforeSequence: number | undefined,
  limit: number,
): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    `SELECT * FROM audit_entries WHERE actor_kind = :kind AND actor_id = :id ${beforeSequence === undefined ? '' : 'AND sequence < :beforeSequence'} ORDER BY sequence DESC LIMIT :limit`,
    { kind, id, beforeSequence: beforeSequence ?? 0, limit },
  );
}

/** Entries by extensions for a person, with their company's keys, newest first. */
export function entriesByKeysFor(
  reader: Reader,
  personId: PersonId,
  beforeSequence: number | undefined,
  limit: number,
): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    `SELECT e.* FROM audit_parties p JOIN audit_entries e ON e.sequence = p.sequence
     WHERE p.party = :party AND e.actor_kind = 'extension' AND (substr(e.action, 1, 6) = 'clock.' OR substr(e.action, 1, 8) = 'absence.')
       ${beforeSequence === undefined ? '' : 'AND p.sequence < :beforeSequence'} ORDER BY p.sequence DESC LIMIT :limit`,
    { party: personParty(personId), beforeSequence: beforeSequence ?? 0, limit },
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
  for (let done = 0; done < people.length; done += saltsPerStatement) {
    const some = people.slice(done, done + saltsPerStatement);
    const rows = await reader.all<{ id: number; record_salt: string }>(
      `SELECT id, record_salt FROM people WHERE id IN (${some.map((_, index) => `:id_${index}`).join(', ')})`,
      Object.fromEntries(some.map((id, index) => [`id_${index}`, id])),
    );
    for (const row of rows) salts.set(row.id, row.record_salt);
  }
  return salts;
}

/** The newest entry that says that DATA_KEY was lost and replaced. */
export async function findKeyReplacement(reader: Reader): Promise<number | undefined> {
  return (
    (
      await reader.get<{ sequence: number | null }>(
        "SELECT max(sequence) AS sequence FROM audit_entries WHERE action = 'audit.key_replaced'",
      )
    )?.sequence ?? undefined
  );
}

/** Facts about the log that its head keeps: see the columns. */
export async function saveHead(
  tx: Transaction,
  facts: Partial<Pick<Head, 'adopt_at' | 'adopted_from' | 'signed_from'>>,
): Promise<void> {
  await update(tx, 'audit_head', { one: 1 }, facts);
}

/** Records of a table behind one of them, in the order of their keys, each with the salt of its person. */
export async function recordsAfter(
  reader: Reader,
  table: RecordTableName,
  after: StoredRecord | undefined,
  limit: number,
): Promise<StoredRecord[]> {
  const { key, personal } = recordTables[table];
  const columns = key.map((column) => `r.${column}`).join(', ');
  const rows = await reader.all(
    `SELECT r.*, ${personal ? "COALESCE(p.record_salt, '')" : "''"} AS record_salt_of_person FROM ${table} r
     ${personal ? 'LEFT JOIN people p ON p.id = r.person_id' : ''}
     ${after === undefined ? '' : `WHERE (${columns}) > (${key.map((column) => `:after_${column}`).join(', ')})`}
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
  if (row === undefined) return undefined;
  const person = recordTables[table].personal ? [row['person_id'] as number] : [];
  return { table, row, salt: (await readSalts(reader, person)).get(person[0]) ?? '' };
}

export function findEntry(reader: Reader, sequence: number): Promise<EntryRow | undefined> {
  return reader.get<EntryRow>('SELECT * FROM audit_entries WHERE sequence = :sequence', { sequence });
}
