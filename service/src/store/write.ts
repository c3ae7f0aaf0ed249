/**
 * The unit of work: one transaction that knows the actor and the time. A verb locks the rows of its rule, reads,
 * decides in plain code, writes rows, and reports: with the event, and the entry of the audit log with the hashes of
 * the records it stored. Nothing is written but by table and row, so nothing is committed that the log could not vouch
 * for.
 */
import { randomBytes as secureRandomBytes } from 'node:crypto';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import {
  type Asker,
  type Changed,
  type Database,
  type Transaction as DatabaseTransaction,
  type Reader,
  type Row,
  RunAgain,
} from '@clockproof/platform/database/database';
import type { Change as RowChange } from '@clockproof/platform/database/table';
import type { Authorize } from '@clockproof/platform/http/api';
import type { Log } from '@clockproof/platform/log';
import type { Instant } from '@clockproof/platform/time/instant';
import { isPlaced, isPublic, rowName, shownBy } from './announced.js';
import { type Actor, type AuditEntry, appendAudit, type EntryFacts, type Sign } from './audit/audit.js';
import type { Described } from './audit/details.js';
import { type RecordTableName, type RecordTables, recordTables } from './audit/record-formats.js';
import {
  concernsRecords,
  isRecord,
  isRecordTable,
  personOf,
  type RecordHashes,
  recordHash,
  recordKey,
  type StoredRecord,
} from './audit/records.js';
import { readSalts } from './audit/rows.js';
import { appendEvent, type EventFacts } from './events.js';
import { type Change, changeOf } from './hub.js';
import type { CompanyId, PersonId } from './ids.js';
import { withOwnMark } from './own-changes.js';
import { type Position, span, takePosition } from './position.js';
import { among, type Transaction, type Writing } from './tables.js';

/** The actor of a write, and the one instant of the request. */
export interface Cause {
  readonly actor: Actor;
  readonly at: Instant;
}

/**
 * The reasons why a write has no entry in the audit log:
 * - `repeated`: the same request was answered before, and nothing but the memory of such answers changed
 * - `credential`: a token, code, challenge or session step, which the entry of its outcome stands for
 * - `attempt`: a wrong try that its counter holds
 * - `nonce`: a signed request that changed nothing but its nonce, which it used up
 * - `read`: a person has read a notice
 * - `expired`: rows whose time is over are purged
 * - `reminder`: a person gets a notice of an earlier record
 * - `progress`: a step of an action that is recorded when it ends, such as a card dialogue
 */
export type Unaudited = 'repeated' | 'credential' | 'attempt' | 'nonce' | 'read' | 'expired' | 'reminder' | 'progress';

/** The subject of a rule. Rows are locked in this order, people by their ids. */
export interface Locked {
  /** Rules over all companies: names of companies, super admins. */
  readonly installation?: true;
  /** Settings, people and months of a company. Stamps do not wait for it. */
  readonly company?: CompanyId;
  /** The clocks of all people of a company: a count of them all waits for stamps under way, and later ones for it. */
  readonly everyone?: CompanyId;
  /** Working time and absences of people. */
  readonly people?: readonly PersonId[];
}

/** An entry of the audit log, with an actor if it is not that of the write. */
export type NewEntry = Omit<EntryFacts, 'at' | 'actor'> &
  Described & {
    readonly actor?: Actor;
    /** The effect of a company's rule on each person, which the actor has not chosen for themselves. */
    readonly forEveryone?: boolean;
  };

export interface Write extends Writing, Cause {
  /** Whether the installation sends e-mail. */
  readonly sendsMail: boolean;
  /**
   * Locks until the transaction ends. Read the subject of the rule after it.
   * @returns the people who are there, in the order of their ids
   */
  lock(locks: Locked): Promise<readonly PersonId[]>;
  /**
   * Adds an entry to the audit log, as done by the write's actor unless another one is named, with the hashes of the
   * records stored since the entry before.
   * @throws Refusal `own_request` the actor changes their own record alone (`own-changes.ts`)
   */
  audit(entry: NewEntry): Promise<void>;
  /** Adds an event. Those about a person follow each other in the order of their writes. @returns its id */
  event(event: EventFacts): Promise<string>;
  /** The position of this write: names a message that is no event. */
  position(): Promise<Position>;
  /** Says that this write has no entry in the audit log, and why. It stores no records and has no events then. */
  unaudited(reason: Unaudited): void;
  /** For the secrets that a write makes: salts, tokens, seeds. */
  randomBytes(size: number): Uint8Array;
  /** Announces a change without an entry in the audit log to open pages. Those with an entry are announced anyway. */
  touch(change: Change): void;
}

/** Maintenance that no one requested and the audit log does not list. */
export type MaintenanceTask =
  | 'deliveries'
  | 'attempt counter'
  | 'connections'
  | 'housekeeping'
  | 'installation'
  | 'last used'
  | 'mail'
  | 'nonce of a refused request'
  | 'preview'
  | 'sealing';

/** The database as the service uses it: every write has a cause, or is upkeep. */
export interface Store extends Reader {
  /** Signs entries and heads of the audit log; absent without DATA_KEY. */
  readonly sign: Sign | undefined;
  /**
   * Runs an effect in one transaction; after a deadlock, or if a newer write about the same person came first, again
   * from its beginning. If it throws, nothing of it stays.
   * @throws {UnauditedWrite} it changed rows, added no audit entry and did not say why; nothing of it stays
   * @throws {UnrecordedWrite} it changed records whose hashes are in no audit entry; nothing of it stays
   * @throws {UnannouncedWrite} it changed rows in lists of changes, and no event shows it; nothing of it stays
   */
  write<Result>(cause: Cause, effect: (write: Write) => Promise<Result>): Promise<Result>;
  /**
   * The same database for one request: every write asks in its own transaction whether the caller may still do this. A
   * right that was taken away since the request came allows no write.
   */
  authorizedBy(authorize: Authorize | undefined): Store;
  /** One transaction without a cause, over tables without records and without rows that readers follow. */
  runMaintenance<Result>(upkeep: MaintenanceTask, effect: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** For the reads of one request. */
  readsOf(asker: Asker): Reader;
  ping(): Promise<boolean>;
}

/** A mistake of the program: a write would have left no trace. */
export class UnauditedWrite extends Error {
  override readonly name = 'UnauditedWrite';
}

/** A mistake of the program: the audit log would not vouch for a record (`store/audit/records.ts`). */
export class UnrecordedWrite extends Error {
  override readonly name = 'UnrecordedWrite';
}

/** A mistake of the program: followers of events would miss a change (`announced.ts`). */
export class UnannouncedWrite extends Error {
  override readonly name = 'UnannouncedWrite';
}

export interface StoreOptions {
  /** Signs entries of the audit log, with a key derived from DATA_KEY. */
  readonly sign?: Sign | undefined;
  /** Whether the installation sends e-mail. */
  readonly sendsMail?: boolean;
  readonly randomBytes?: RandomBytes;
  /** The formats of records; tests replace them. */
  readonly tables?: RecordTables;
  /** Called after every commit of something that others read. */
  readonly onCommit?: (commit: Commit) => void;
  /** Receives writes that delay the readers of feeds. */
  readonly log?: Pick<Log, 'warn'>;
}

/** Longest time from the place of a write to its end: until then no reader gets rows with a later place. */
const maxPlacedMs = 1_000;

export interface Commit {
  /** The place of the transaction. */
  readonly place: number;
  readonly changes: readonly Change[];
}

export function createStore(
  database: Database,
  {
    sign,
    sendsMail = false,
    randomBytes = secureRandomBytes,
    tables = recordTables,
    onCommit = () => undefined,
    log,
  }: StoreOptions = {},
): Store {
  const storeFor = (authorize: Authorize | undefined): Store => ({
    dialect: database.dialect,
    sign,
    authorizedBy: storeFor,
    all: (sql, parameters) => database.all(sql, parameters),
    get: (sql, parameters) => database.get(sql, parameters),
    readsOf: (asker) => database.readsOf(asker),
    ping: () => database.ping(),
    runMaintenance: (upkeep, effect) =>
      database.write((tx) =>
        effect({
          ...tx,
          change: (change) => {
            if (concernsRecords(change, tables) || isPlaced(change.table))
              throw new UnrecordedWrite(`${change.table} is written with a cause: ${upkeep}`);
            return tx.change(change);
          },
        }),
      ),
    async write(cause, effect) {
      let commit: Commit | undefined;
      let unit: Unit | undefined;
      const result = await database.write(async (tx) => {
        unit = new Unit(tx, cause, { sendsMail, randomBytes, sign, tables, authorize });
        const answer = await effect(unit);
        commit = await unit.finish();
        return answer;
      });
      const placedMs = unit?.placedMs() ?? 0;
      if (placedMs > maxPlacedMs)
        log?.warn(
          { milliseconds: Math.round(placedMs), families: commit?.changes.map(({ family }) => family) },
          'a long write delayed the readers of feeds',
        );
      if (commit !== undefined) onCommit(commit);
      return result;
    },
  });
  return storeFor(undefined);
}

/** Records stored (null: removed) and not yet in an audit entry, by their names in an entry. */
type Collected = Map<string, Omit<StoredRecord, 'salt'> | null>;

class Unit implements Write {
  readonly dialect;
  readonly all;
  readonly get;
  readonly actor: Actor;
  readonly at: Instant;
  readonly sendsMail: boolean;
  #position: Promise<Position> | undefined;
  #placedAt: number | undefined;
  #changedTable: string | undefined;
  #accounted = false;
  #authorized: Promise<void> | undefined;
  #events = 0;
  /** True if it stored rows that readers follow. They read up to the newest entry of the audit log. */
  #isPlaced = false;
  /** `people.record_salt` of everybody who was locked. */
  readonly #salts = new Map<PersonId, string>();
  /** The newest place of everybody who was locked. */
  #overtakenBy = 0;
  /** People whose clocks carry the place of this write. */
  readonly #placedPeople = new Set<PersonId>();
  #collectedRecords: Collected = new Map();
  /** Rows of lists of changes that it stored, and those that its events show. */
  readonly #changedRows = new Set<string>();
  readonly #shownRows = new Set<string>();
  readonly #entries: { readonly entry: AuditEntry; readonly records: Collected }[] = [];
  readonly #extraChanges: Change[] = [];

  constructor(
    private readonly tx: DatabaseTransaction,
    cause: Cause,
    private readonly options: Pick<StoreOptions, 'sign'> &
      Required<Pick<StoreOptions, 'sendsMail' | 'randomBytes' | 'tables'>> & {
        readonly authorize: Authorize | undefined;
      },
  ) {
    this.sendsMail = options.sendsMail;
    this.actor = cause.actor;
    this.at = cause.at;
    this.dialect = tx.dialect;
    this.all = tx.all;
    this.get = tx.get;
  }

  async lock({ installation, company, everyone, people = [] }: Locked): Promise<readonly PersonId[]> {
    const { tx } = this;
    const { forUpdate, forNoKeyUpdate } = tx.dialect;
    if (installation) await tx.get(`SELECT one FROM people_access WHERE one = 1${forUpdate}`);
    if (company !== undefined)
      await tx.get(`SELECT id FROM companies c WHERE id = :company${forNoKeyUpdate('c')}`, { company });
    if (everyone === undefined && people.length === 0) {
      await this.#authorize();
      return [];
    }
    const { list, parameters } = among(people);
    const lockQuery = tx.all<{ person_id: PersonId; changed: number; record_salt: string }>(
      `SELECT s.person_id, s.changed, p.record_salt FROM clock_states s JOIN people p ON p.id = s.person_id
       WHERE ${everyone === undefined ? `s.person_id IN (${list})` : 's.company_id = :everyone'}
       ORDER BY s.person_id${forUpdate === '' ? '' : `${forUpdate} OF s`}`,
      everyone === undefined ? parameters : { everyone },
    );
    // The place is asked for in the same message: the server gives it once the rows are locked.
    this.#position ??= takePosition(tx);
    const [clocks] = await Promise.all([lockQuery, this.#position, this.#authorize()]);
    for (const { person_id: id, changed, record_salt: salt } of clocks) {
      this.#overtakenBy = Math.max(this.#overtakenBy, changed);
      this.#salts.set(id, salt);
    }
    await this.#place();
    return clocks.map(({ person_id: id }) => id);
  }

  /**
   * Once a transaction: after its first locks, because the rights of the caller can end while it waits for them, and
   * before its first change, because that change may be the end.
   */
  #authorize(): Promise<void> {
    this.#authorized ??= this.options.authorize?.(this.tx) ?? Promise.resolve();
    return this.#authorized;
  }

  /** Milliseconds since this write got its place. */
  placedMs(): number {
    // biome-ignore lint/plugin/pure: a duration.
    return this.#placedAt === undefined ? 0 : performance.now() - this.#placedAt;
  }

  /** The place of this write. @throws {RunAgain} a newer write about one of its people came first */
  async #place(): Promise<Position> {
    // biome-ignore lint/plugin/pure: the same.
    this.#placedAt ??= performance.now();
    this.#position ??= takePosition(this.tx);
    const position = await this.#position;
    if (this.#overtakenBy > position.place) throw new RunAgain('a newer write came first');
    return position;
  }

  change = async (change: RowChange): Promise<Changed> => {
    const { table, verb } = change;
    // At once: an event that is added beside it need not place the person again.
    if (table === 'clock_states' && verb === 'update' && 'key' in change.where) {
      const { person_id: person } = change.where.key;
      if (typeof person === 'number') this.#placedPeople.add(person);
    }
    await this.#authorize();
    const hasRecords = concernsRecords(change, this.options.tables);
    const isPublicChange = isPublic(change);
    const answer = await this.tx.change({
      ...(isPlaced(table) ? await this.#withPlace(change) : change),
      returning: hasRecords || isPublicChange || change.returning === true,
    });
    if (answer.count > 0) this.#changedTable ??= table;
    if (isPublicChange && isPlaced(table))
      for (const row of answer.rows) this.#changedRows.add(rowName(table, row, verb === 'remove'));
    if (hasRecords && isRecordTable(table)) this.#collect(table, answer.rows, verb === 'remove');
    return answer;
  };

  async #withPlace(change: RowChange): Promise<RowChange> {
    if (change.verb === 'remove') return change;
    if (change.verb === 'insertFrom') throw new TypeError(`${change.table} is written row by row`);
    const { place } = await this.#place();
    this.#isPlaced = true;
    if (change.verb === 'insert') return { ...change, row: { ...change.row, changed: place } };
    return { ...change, patch: { ...change.patch, changed: place } };
  }

  #collect(table: RecordTableName, rows: readonly Row[], areRemoved: boolean): void {
    for (const row of rows) {
      if (!isRecord(table, row)) continue;
      if (table === 'people') this.#salts.set(row['id'] as PersonId, row['record_salt'] as string);
      const name = recordKey(table, row);
      this.#collectedRecords.delete(name);
      this.#collectedRecords.set(name, areRemoved ? null : { table, row });
    }
  }

  async event(event: EventFacts): Promise<string> {
    const { epoch, place } = await this.#place();
    if (event.personId !== undefined) await this.#placePerson(event.personId, place);
    if (this.#events >= span) throw new TypeError(`more than ${span} events in one write`);
    for (const name of shownBy(event)) this.#shownRows.add(name);
    return appendEvent(this.tx, { epoch, place: place + this.#events++ }, { ...event, at: this.at });
  }

  /** Events about a person are in the order of their places: a write with a smaller one runs again. */
  async #placePerson(person: PersonId, place: number): Promise<void> {
    if (this.#placedPeople.has(person)) return;
    this.#placedPeople.add(person);
    const { count } = await this.tx.change({
      verb: 'update',
      table: 'clock_states',
      patch: { changed: place },
      where: { condition: 'person_id = :person AND changed < :place', parameters: { person, place } },
    });
    if (count > 0) return;
    const clock = await this.tx.get(
      'SELECT 1 AS one FROM clock_states WHERE person_id = :person AND changed > :place',
      {
        person,
        place,
      },
    );
    if (clock !== undefined) throw new RunAgain('a newer write came first');
  }

  position(): Promise<Position> {
    return this.#place();
  }

  async audit({ forEveryone = false, ...entryFacts }: NewEntry): Promise<void> {
    const auditEntry: AuditEntry = { actor: this.actor, ...entryFacts, at: this.at };
    const entry = forEveryone ? auditEntry : await withOwnMark(this, auditEntry);
    this.#entries.push({ entry, records: this.#collectedRecords });
    this.#collectedRecords = new Map();
    this.#accounted = true;
  }

  unaudited(): void {
    this.#accounted = true;
  }

  touch(change: Change): void {
    this.#extraChanges.push(change);
  }

  randomBytes(size: number): Uint8Array {
    return this.options.randomBytes(size);
  }

  #unaudited(): UnauditedWrite {
    return new UnauditedWrite(`a write without an entry in the audit log: ${this.#changedTable ?? 'events'}`);
  }

  /** @returns the commit, valid once the transaction is committed; undefined if others read nothing of it */
  async finish(): Promise<Commit | undefined> {
    await this.#authorize();
    const last = this.#entries.at(-1);
    if (this.#changedTable !== undefined && !this.#accounted) throw this.#unaudited();
    if (last === undefined) {
      if (this.#collectedRecords.size > 0)
        throw new UnrecordedWrite(
          `records without an entry in the audit log: ${[...this.#collectedRecords.keys()].join(', ')}`,
        );
      if (this.#isPlaced || this.#events > 0) throw this.#unaudited();
    }
    const silentRecords = [...this.#changedRows].filter((name) => !this.#shownRows.has(name));
    if (silentRecords.length > 0)
      throw new UnannouncedWrite(`changes without an event: ${silentRecords.slice(0, 10).join(', ')}`);
    for (const [name, record] of this.#collectedRecords) last?.records.set(name, record);
    const changes = [...this.#entries.map(({ entry }) => changeOf(entry)), ...this.#extraChanges];
    if (last === undefined) return changes.length === 0 ? undefined : { place: 0, changes };
    if (this.#entries.length > span) throw new TypeError(`more than ${span} audit entries in one write`);
    const { place } = await this.#place();
    const salts = await this.#saltsOf(peopleOf(this.#entries.map(({ records }) => records)));
    for (const [index, { entry, records }] of this.#entries.entries())
      appendAudit(this.tx, place + index, entry, {
        sign: this.options.sign,
        records: hashesOf(records, salts, this.options.tables),
      });
    return { place, changes };
  }

  async #saltsOf(people: readonly PersonId[]): Promise<ReadonlyMap<unknown, string>> {
    const unreadIds = people.filter((id) => !this.#salts.has(id));
    return new Map<unknown, string>([...this.#salts, ...(await readSalts(this.tx, unreadIds))]);
  }
}

function hashesOf(records: Collected, salts: ReadonlyMap<unknown, string>, tables: RecordTables): RecordHashes {
  return Object.fromEntries(
    [...records].map(([name, record]) => [
      name,
      record && recordHash({ ...record, salt: salts.get(personOf(record.table, record.row)) ?? '' }, tables),
    ]),
  );
}

function peopleOf(units: readonly Collected[]): number[] {
  const people = units
    .flatMap((records) => [...records.values()])
    .map((record) => record && personOf(record.table, record.row));
  return [...new Set(people.filter((person) => person != null))];
}
