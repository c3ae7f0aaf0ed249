/**
 * The unit of work: one transaction that knows who acts and when, and that does not commit a change that could not be
 * found in the audit log. It collects the records that its statements store; their hashes go into its audit entries.
 */
import { randomBytes as secureRandomBytes } from 'node:crypto';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Batch, BatchWriter, Results } from '@clockproof/platform/database/batch';
import type { GroupWriter } from '@clockproof/platform/database/batch-group';
import type { Database, Messages, Parameters, Reader, Row, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type Actor, type AuditEntry, appendAudit, type Sign } from '../audit/audit.js';
import {
  type RecordHashes,
  type RecordTableName,
  recordHash,
  recordKey,
  recordStatementOf,
  recordTables,
} from '../audit/records.js';
import { readSalts } from '../audit/rows.js';
import { allocateSequence, appendEvent, type EventFacts } from '../events/events.js';
import { type Change, type Commit, changeOf, familyOf } from '../events/hub.js';
import { nextSequenceStatement } from '../events/rows.js';

/** Who causes a write, and the one instant of the request. */
export interface Cause {
  readonly actor: Actor;
  readonly at: Instant;
}

/**
 * Why a write has no entry in the audit log:
 * - `repeated`: the same request was answered before, and nothing but the memory of such answers changed
 * - `credential`: a token, code, challenge or session step, which the entry of its outcome stands for
 * - `attempt`: a wrong try that its counter holds
 * - `locks`: nothing came of it but rows that exist to be locked
 * - `nonce`: a signed request that changed nothing but its nonce, which it used up
 * - `read`: a person has read a notice
 * - `reminder`: a person gets a notice of what was recorded before
 * - `progress`: a step of something that is recorded when it ends, as a card dialogue is
 */
export type Unaudited = 'repeated' | 'credential' | 'attempt' | 'locks' | 'nonce' | 'read' | 'reminder' | 'progress';

/** What a batch needs to append its audit entry (`auditSteps`). */
export interface Signing {
  /** Signs entries of the audit log; absent without DATA_KEY. */
  readonly sign: Sign | undefined;
}

export interface Write extends Transaction, Cause, Signing {
  /** Whether the installation sends e-mail. */
  readonly sendsMail: boolean;
  /**
   * Appends an entry to the audit log, as done by the write's actor unless another one is named, with the hashes of the
   * records stored since the entry before. Entries are appended at the end of the effect, so that the head of the log is
   * locked last.
   */
  audit(entry: Omit<AuditEntry, 'at' | 'actor'> & { readonly actor?: Actor }): Promise<void>;
  /** Allocates the next number of the commit sequence; other writers of events wait from here to the commit. */
  allocateSequence(): Promise<number>;
  /** Appends an event with a number from {@link allocateSequence}. */
  event(sequence: number, event: EventFacts): Promise<void>;
  /** Says that this write has no entry in the audit log, and why. It stores no records then. */
  unaudited(reason: Unaudited): void;
  /** For a new person: what goes into the hashes of their records. */
  newRecordSalt(): string;
  /** Tells open pages of a change that has no entry in the audit log. Those with an entry are told anyway. */
  touch(change: Change): void;
}

/** Upkeep that no one requested and the audit log does not list. */
export type Upkeep =
  | 'deliveries'
  | 'adoption of records'
  | 'attempt counter'
  | 'connections'
  | 'housekeeping'
  | 'installation'
  | 'last used'
  | 'mail'
  | 'nonce of a refused request'
  | 'preview'
  | 'remembered months'
  | 'sealing';

/** The database as the service uses it: every write has a cause, or is upkeep. */
export interface Store extends Reader, Messages, BatchWriter, GroupWriter, Signing {
  /**
   * Runs an effect in one transaction. If it throws, nothing of it stays.
   * @throws {UnauditedWrite} it changed rows, appended no audit entry and did not say why; nothing of it stays
   * @throws {UnrecordedWrite} it changed records whose hashes are in no audit entry; nothing of it stays
   */
  write<Result>(cause: Cause, effect: (write: Write) => Promise<Result>): Promise<Result>;
  /** One transaction without a cause. It stores no records. @throws {UnrecordedWrite} */
  maintain<Result>(upkeep: Upkeep, effect: (tx: Transaction) => Promise<Result>): Promise<Result>;
  ping(): Promise<boolean>;
}

/** A mistake of the program: a write would have left no trace. */
export class UnauditedWrite extends Error {
  override readonly name = 'UnauditedWrite';
}

/** A mistake of the program: the audit log would not vouch for a record (`audit/records.ts`). */
export class UnrecordedWrite extends Error {
  override readonly name = 'UnrecordedWrite';
}

const changesRows = /^\s*(?:INSERT|UPDATE|DELETE|WITH)\b/i;

/** @throws {UnauditedWrite} @throws {UnrecordedWrite} */
function refuseSilent(batch: Batch): void {
  const entry = batch.steps.find((step) => 'insert' in step && step.insert === 'audit_entries');
  if (entry === undefined || !('insert' in entry))
    throw new UnauditedWrite('a batch without an entry in the audit log');
  const storesRecord = batch.steps.some((step) =>
    Object.hasOwn(recordTables, 'insert' in step ? step.insert : step.update),
  );
  if (storesRecord && (entry.row['records'] ?? null) === null)
    throw new UnrecordedWrite('a batch that stores a record without its hash');
}

export interface StoreOptions {
  /** Signs entries of the audit log, with a key derived from DATA_KEY. */
  readonly sign?: Sign | undefined;
  /** Whether the installation sends e-mail. */
  readonly sendsMail?: boolean;
  readonly randomBytes?: RandomBytes;
  /** Called after every commit that allocated a number or has an entry in the audit log. */
  readonly committed?: (commit: Commit) => void;
}

export function createStore(
  database: Database,
  { sign, sendsMail = false, randomBytes = secureRandomBytes, committed = () => undefined }: StoreOptions = {},
): Store {
  /** Runs an effect in a transaction, and says what it committed once it has. An effect that runs again starts over. */
  const announcing = async <Result>(effect: (tx: Transaction, note: Note) => Promise<Result>): Promise<Result> => {
    let note = emptyNote();
    const result = await database.write((tx) => {
      note = emptyNote();
      return effect(noting(tx, note), note);
    });
    if (note.sequence > 0 || note.changes.length > 0) committed(note);
    return result;
  };
  return {
    dialect: database.dialect,
    sign,
    all: (sql, parameters) => database.all(sql, parameters),
    get: (sql, parameters) => database.get(sql, parameters),
    ...(database.inOneMessage === undefined ? {} : { inOneMessage: database.inOneMessage }),
    batch: async (batch) => {
      refuseSilent(batch);
      const results = await database.batch(batch);
      if (results !== undefined) committed(commitOf(batch, results));
      return results;
    },
    line: database.line,
    together: async (batches) => {
      batches.forEach(refuseSilent);
      const written = await database.together(batches);
      if (written) committed(commitOfGroup(batches));
      return written;
    },
    ping: () => database.ping(),
    maintain: (upkeep, effect) => announcing((tx) => effect(withoutRecords(tx, upkeep))),
    write: (cause, effect) =>
      announcing(async (tx, note) => {
        const unit = createUnit(tx, cause, { sign, sendsMail, randomBytes, note });
        const result = await effect(unit.write);
        await unit.finish();
        return result;
      }),
  };
}

/** What a transaction will have committed. */
interface Note extends Commit {
  sequence: number;
  readonly changes: Change[];
}
const emptyNote = (): Note => ({ sequence: 0, changes: [] });

/** A transaction that notes the numbers it allocates and the entries of its batches. */
function noting(tx: Transaction, note: Note): Transaction {
  return {
    ...tx,
    get: async <R extends object = Row>(sql: string, parameters?: Parameters) => {
      const row = await tx.get<R>(sql, parameters);
      if (sql === nextSequenceStatement) note.sequence = (row as { sequence: number } | undefined)!.sequence;
      return row;
    },
    batch: async (batch) => {
      const results = await tx.batch(batch);
      if (results === undefined) return results;
      const commit = commitOf(batch, results);
      note.sequence = Math.max(note.sequence, commit.sequence);
      note.changes.push(...commit.changes);
      return results;
    },
  };
}

/** What a batch commits, read from its steps. */
function commitOf(batch: Batch, results: Results): Commit {
  const sequence = movesHead(batch) ? (results['head']!['sequence'] as number) + 1 : 0;
  return { sequence, changes: changesOf(batch) };
}

/** The batches of a group move the sequence on one after the other, from where all of them read it. */
function commitOfGroup(batches: readonly Batch[]): Commit {
  const head = batches[0]?.locks.find(({ name }) => name === 'head')?.exact?.was['sequence'];
  const sequence = head === undefined ? 0 : (head as number) + batches.filter(movesHead).length;
  return { sequence, changes: batches.flatMap(changesOf) };
}

function movesHead({ steps }: Batch): boolean {
  return steps.some((step) => 'update' in step && step.update === 'event_head');
}

function changesOf({ steps }: Batch): Change[] {
  const changes: Change[] = [];
  const parties: string[] = [];
  for (const step of steps) {
    if (!('insert' in step)) continue;
    const { action, company_id: company, party } = step.row;
    if (step.insert === 'audit_parties') parties.push(party as string);
    if (step.insert === 'audit_entries')
      changes.push({ family: familyOf(action as string), company: company as number | null, parties });
  }
  return changes;
}

/** A transaction in which a statement that writes records is a mistake. */
function withoutRecords(tx: Transaction, upkeep: Upkeep): Transaction {
  const checked = (sql: string) => {
    if (recordStatementOf(sql) !== undefined)
      throw new UnrecordedWrite(`records are written with a cause: ${upkeep}: ${beginning(sql)}`);
    return sql;
  };
  return {
    ...tx,
    batch: async (batch) => {
      const table = batch.steps
        .map((step) => ('insert' in step ? step.insert : step.update))
        .find((one) => Object.hasOwn(recordTables, one));
      if (table !== undefined)
        throw new UnrecordedWrite(`records are written with a cause: ${upkeep}: a batch that writes ${table}`);
      return tx.batch(batch);
    },
    all: async (sql, parameters) => tx.all(checked(sql), parameters),
    get: async (sql, parameters) => tx.get(checked(sql), parameters),
    run: async (sql, parameters) => tx.run(checked(sql), parameters),
  };
}

/** Records stored (null: removed) and not yet in an audit entry, by what an entry calls them. */
type Collected = Map<string, { readonly table: RecordTableName; readonly row: Row } | null>;

function createUnit(
  tx: Transaction,
  cause: Cause,
  {
    sign,
    sendsMail,
    randomBytes,
    note,
  }: {
    readonly sign: Sign | undefined;
    readonly sendsMail: boolean;
    readonly randomBytes: RandomBytes;
    readonly note: Note;
  },
): { readonly write: Write; finish(): Promise<void> } {
  let firstChange: string | undefined;
  let accounted = false;
  let collected: Collected = new Map();
  const entries: { readonly entry: AuditEntry; readonly records: Collected }[] = [];
  const noting = <Answer>(sql: string, answer: Answer, rowsIn: (answer: Answer) => number): Answer => {
    if (changesRows.test(sql) && rowsIn(answer) > 0) firstChange ??= sql;
    return answer;
  };
  /** Runs a statement that writes records, and collects their rows as stored. Undefined for any other statement. */
  const storing = async (sql: string, parameters?: Parameters): Promise<Row[] | undefined> => {
    const statement = recordStatementOf(sql);
    if (statement === undefined) return undefined;
    if (statement === 'unclear') throw new UnrecordedWrite(`does not show the records it writes: ${beginning(sql)}`);
    const rows = await tx.all(statement.sql, parameters);
    const { table, removes } = statement;
    const { columns, key } = recordTables[table];
    for (const row of rows) {
      if (!(removes ? key : columns).every((column) => row[column] !== undefined))
        throw new UnrecordedWrite(`does not return the record as stored: ${beginning(sql)}`);
      const name = recordKey(table, row);
      collected.delete(name);
      collected.set(name, removes ? null : { table, row });
    }
    return rows;
  };
  const write: Write = {
    ...cause,
    sign,
    sendsMail,
    dialect: tx.dialect,
    all: async <R extends object = Row>(sql: string, parameters?: Parameters) =>
      noting(
        sql,
        ((await storing(sql, parameters)) as R[] | undefined) ?? (await tx.all<R>(sql, parameters)),
        (rows) => rows.length,
      ),
    get: async <R extends object = Row>(sql: string, parameters?: Parameters) => {
      const stored = await storing(sql, parameters);
      const row = stored === undefined ? await tx.get<R>(sql, parameters) : (stored[0] as R | undefined);
      return noting(sql, row, (one) => (one === undefined ? 0 : 1));
    },
    run: async (sql, parameters) =>
      noting(sql, (await storing(sql, parameters))?.length ?? (await tx.run(sql, parameters)), (rows) => rows),
    batch: async (batch: Batch): Promise<Results | undefined> => {
      const audited = batch.steps.some((step) => 'insert' in step && step.insert === 'audit_entries');
      if (
        audited ||
        batch.steps.some((step) => Object.hasOwn(recordTables, 'insert' in step ? step.insert : step.update))
      )
        refuseSilent(batch);
      const results = await tx.batch(batch);
      if (results === undefined) return results;
      firstChange ??= 'a batch';
      if (audited) accounted = true;
      return results;
    },
    audit: async (given) => {
      const entry = { actor: cause.actor, ...given, at: cause.at };
      entries.push({ entry, records: collected });
      note.changes.push(changeOf(entry));
      collected = new Map();
      accounted = true;
    },
    allocateSequence: () => allocateSequence(tx),
    event: (sequence, event) => appendEvent(tx, sequence, { ...event, at: cause.at }),
    unaudited: () => {
      accounted = true;
    },
    touch: (change) => void note.changes.push(change),
    newRecordSalt: () => Buffer.from(randomBytes(16)).toString('hex'),
  };
  return {
    write,
    async finish() {
      if (firstChange !== undefined && !accounted)
        throw new UnauditedWrite(`a write without an entry in the audit log: ${beginning(firstChange)}`);
      const last = entries.at(-1);
      if (collected.size > 0) {
        if (last === undefined)
          throw new UnrecordedWrite(`records without an entry in the audit log: ${[...collected.keys()].join(', ')}`);
        for (const [name, record] of collected) last.records.set(name, record);
      }
      const salts = await readSalts(tx, peopleOf(entries.map(({ records }) => records)));
      for (const { entry, records } of entries)
        await appendAudit(tx, entry, { sign, records: hashesOf(records, salts) });
    },
  };
}

function hashesOf(records: Collected, salts: ReadonlyMap<unknown, string>): RecordHashes {
  return Object.fromEntries(
    [...records].map(([name, record]) => [
      name,
      record && recordHash({ ...record, salt: saltFor(record.table, record.row, salts) }),
    ]),
  );
}

function saltFor(table: RecordTableName, row: Row, salts: ReadonlyMap<unknown, string>): string {
  return recordTables[table].personal ? (salts.get(row['person_id']) ?? '') : '';
}

function peopleOf(units: readonly Collected[]): number[] {
  const people = new Set<number>();
  for (const records of units)
    for (const record of records.values())
      if (record !== null && recordTables[record.table].personal) people.add(record.row['person_id'] as number);
  return [...people];
}

const beginning = (sql: string) => sql.trim().slice(0, 80);
