/**
 * Verification of the log: the code of each entry, the signed heads over them, heads that were stored elsewhere, and
 * every record against its newest hash. Reads in pages; memory grows with the number of records. May run while the
 * service writes.
 */
import { append, rootOf } from '@clockproof/platform/bytes/merkle-tree';
import type { Reader } from '@clockproof/platform/database/database';
import { endedBelow, settledPosition } from '../position.js';
import { frontierOf, headText, leafOf } from '../seal.js';
import { familyOf } from './actions.js';
import { isKeyed, macOf, type Sign } from './audit.js';
import { type RecordTableName, type RecordTables, recordTables } from './record-formats.js';
import {
  arePartyRows,
  fits,
  type PartyRow,
  recordKey,
  recordTableNames,
  type StoredRecord,
  tableOfKey,
} from './records.js';
import {
  type EntryRow,
  emptyHead,
  entriesAfter,
  eventsWithoutEntry,
  findKeyReplacement,
  findRecord,
  findSigningStart,
  type HeadRow,
  headsAfter,
  partiesBetween,
  recordsAfter,
} from './rows.js';

/** The newest head: the number of sealed entries, and the root over them. */
export interface LogHead {
  readonly size: number;
  readonly root: string;
}

export interface LogFault {
  /** The number of the entry; of a head, the number of its newest entry. */
  readonly entry: number;
  /**
   * - `altered`: content, number or search index was changed, or the entry was copied here
   * - `missing`: it was removed
   * - `added`: it was added after the log was sealed up to there, or without the key
   * - `unsigned`: in the signed part without a signature
   * - `head`: the head that ends here does not fit its entries, its signature or one stored elsewhere
   * - `cut`: a head stored elsewhere says that the log went on
   */
  readonly why: 'altered' | 'missing' | 'added' | 'unsigned' | 'head' | 'cut';
}

export interface RecordFault {
  /** `absences 12`: table and key. */
  readonly record: string;
  /** `missing`: the log has it, the table does not. `surplus`: the table has it, the log does not or says it is gone. */
  readonly why: 'altered' | 'missing' | 'surplus';
  /** The entry with the record's newest hash. */
  readonly entry?: number | undefined;
}

export interface Findings {
  readonly entries: number;
  readonly head: LogHead;
  /** In the order of the entries; the first ones of very many. */
  readonly logFaults: readonly LogFault[];
  readonly recordFaults: readonly RecordFault[];
  /** The first signed entry of the log. */
  readonly signedFrom: number | undefined;
  /** The entry with which a lost DATA_KEY was replaced: signatures before it cannot be checked, it vouches for them. */
  readonly replacedAt: number | undefined;
  /** Records compared with their hashes. */
  readonly records: number;
}

export interface VerifyOptions {
  /** Heads stored outside of this database: root by size. */
  readonly heads?: ReadonlyMap<number, string> | undefined;
  /** Without it, signatures are not checked. */
  readonly sign?: Sign | undefined;
  readonly tables?: RecordTables | undefined;
}

const page = 1_000;
/** Faults of a kind that are kept. */
const maxFaults = 10_000;

/** Verifies the log and every record. */
export async function verifyAll(reader: Reader, options: VerifyOptions = {}): Promise<Findings> {
  const records: RecordIndex = { tables: options.tables ?? recordTables, newest: new Map() };
  const walk = new Walk(reader, options, (row) => mention(records, row));
  await walk.begin();
  await walk.advance();
  const result = await verifyRecords(reader, records, walk);
  return { ...walk.findings(), ...result };
}

export type Verification =
  | { readonly intact: true; readonly entries: number; readonly head: LogHead }
  | { readonly intact: false; readonly firstBad: number; readonly why: LogFault['why'] };

/** Verifies the log alone, without records. @param knownHead one stored earlier outside of this database */
export async function verifyAudit(reader: Reader, knownHead?: LogHead, sign?: Sign): Promise<Verification> {
  const heads = new Map(knownHead === undefined ? [] : [[knownHead.size, knownHead.root] as const]);
  const walk = new Walk(reader, { heads, sign }, () => true);
  await walk.begin();
  await walk.advance();
  const { logFaults, entries, head } = walk.findings();
  const [first] = logFaults;
  return first === undefined
    ? { intact: true, entries, head }
    : { intact: false, firstBad: first.entry, why: first.why };
}

/** Goes through heads and entries in their order; the entries behind the newest head are checked by their codes alone. */
class Walk {
  sequence = 0;
  #entries = 0;
  #head: HeadRow = emptyHead;
  /** The settled place: behind it entries may be missing because their transactions are under way. */
  #settledPlace = 0;
  #signedFrom: number | undefined;
  #replacedAt: number | undefined;
  readonly #faults: LogFault[] = [];
  /** Roots by size that are known otherwise: stored elsewhere, or vouched for by the entry that replaced a lost key. */
  readonly #knownRoots = new Map<number, string[]>();
  /** Entries read beyond the head that is being checked. */
  #prefetchedEntries: EntryRow[] = [];

  constructor(
    private readonly reader: Reader,
    private readonly options: VerifyOptions,
    private readonly onEntry: (row: EntryRow) => boolean,
  ) {}

  async begin(): Promise<void> {
    this.#signedFrom = await findSigningStart(this.reader);
    const replacement = await findKeyReplacement(this.reader);
    this.#replacedAt = replacement?.sequence;
    for (const [size, root] of this.options.heads ?? []) this.#knownRoots.set(size, [root]);
    const vouchedHead =
      replacement?.details == null ? undefined : (JSON.parse(replacement.details) as { head?: string }).head;
    const [size, root] = vouchedHead?.split(':') ?? [];
    if (size !== undefined && root !== undefined)
      this.#knownRoots.set(Number(size), [...(this.#knownRoots.get(Number(size)) ?? []), root]);
  }

  /** Goes on to the newest entry as it is now. */
  async advance(): Promise<void> {
    const previousSequence = this.sequence;
    for (;;) {
      const heads = await headsAfter(this.reader, this.#head.size, page);
      this.#settledPlace = (await settledPosition(this.reader)).place;
      for (const head of heads) await this.#checkHead(head);
      if (heads.length < page) break;
    }
    for (const row of await this.#entriesUpTo(this.#settledPlace)) this.#checkEntry(row);
    const endedLimit = await endedBelow(this.reader);
    for (const sequence of await eventsWithoutEntry(
      this.reader,
      Math.max(previousSequence, this.#head.last),
      endedLimit - 1,
    ))
      this.#fault(sequence, 'missing');
  }

  async #checkHead(head: HeadRow): Promise<void> {
    const previous = this.#head;
    this.#head = head;
    const listedEntries = new Set(JSON.parse(head.entries) as number[]);
    // Entries that were checked as the unsealed end of the log, in an earlier round, are under their head now.
    const seenRows = new Map([...this.#tail].filter(([sequence]) => sequence <= head.last));
    for (const sequence of seenRows.keys()) this.#tail.delete(sequence);
    const rows = await this.#entriesUpTo(head.last);
    for (const row of rows) {
      this.#checkEntry(row);
      seenRows.set(row.sequence, row);
      this.#tail.delete(row.sequence);
    }
    let isComplete = true;
    for (const sequence of listedEntries)
      if (!seenRows.has(sequence)) {
        isComplete = false;
        this.#fault(sequence, 'missing');
      }
    for (const sequence of seenRows.keys())
      if (!listedEntries.has(sequence)) {
        isComplete = false;
        this.#fault(sequence, 'added');
      }
    if (
      !this.#isHeadValid(
        head,
        previous,
        isComplete ? [...listedEntries].map((sequence) => seenRows.get(sequence)!) : undefined,
      )
    )
      this.#fault(head.last, 'head');
  }

  /** Entries behind the newest head. */
  readonly #tail = new Map<number, EntryRow>();

  /** @param entries undefined if they are not those of the head, which is reported already */
  #isHeadValid(head: HeadRow, previous: HeadRow, entries: readonly EntryRow[] | undefined): boolean {
    if (head.previous !== previous.size || rootOf(frontierOf(head)).toString('hex') !== head.root) return false;
    if (!this.#isSigned(head)) return false;
    if (entries === undefined) return true;
    let tree = frontierOf(previous);
    for (const entry of entries) {
      tree = append(tree, leafOf(entry));
      // A forger who sealed the log again may have done it with other sizes.
      const roots = this.#knownRoots.get(tree.size) ?? [];
      if (roots.some((root) => root !== rootOf(tree).toString('hex'))) return false;
    }
    const latestAt = entries.reduce((at, entry) => Math.max(at, entry.at), previous.latest_at);
    if (head.last !== entries.at(-1)?.sequence || head.latest_at !== latestAt) return false;
    return tree.size === head.size && rootOf(tree).toString('hex') === head.root;
  }

  #isSigned({ signature, ...head }: HeadRow): boolean {
    const { sign } = this.options;
    if (this.#signedFrom === undefined || head.last < this.#signedFrom) return true;
    if (signature === null) return false;
    if (sign === undefined || head.last < (this.#replacedAt ?? 0)) return true;
    return sign(headText(head)) === signature;
  }

  async #entriesUpTo(last: number): Promise<EntryRow[]> {
    const batch: EntryRow[] = [];
    for (;;) {
      while (this.#prefetchedEntries.length > 0 && this.#prefetchedEntries[0]!.sequence <= last)
        batch.push(this.#prefetchedEntries.shift()!);
      if (this.#prefetchedEntries.length > 0) return batch;
      const from = Math.max(this.sequence, batch.at(-1)?.sequence ?? 0);
      this.#prefetchedEntries = await entriesAfter(this.reader, { after: from, upTo: this.#settledPlace, limit: page });
      await this.#readParties();
      if (this.#prefetchedEntries.length === 0 || this.#prefetchedEntries[0]!.sequence > last) return batch;
    }
  }

  /** Entries behind the settled place that are as they were written. */
  async listUnsettled(): Promise<EntryRow[]> {
    const entries: EntryRow[] = [];
    for (let after = this.#settledPlace; ; ) {
      const rows = await entriesAfter(this.reader, { after, upTo: Number.MAX_SAFE_INTEGER, limit: page });
      if (rows.length === 0) return entries;
      const [first, last] = [rows[0]!.sequence, rows.at(-1)!.sequence];
      const parties = await partiesBetween(this.reader, first, last);
      for (const row of rows) {
        const rowParties = parties.filter(({ sequence }) => sequence === row.sequence);
        if (this.#whyBad(row, rowParties) === undefined) entries.push(row);
      }
      after = last;
    }
  }

  readonly #parties = new Map<number, PartyRow[]>();

  async #readParties(): Promise<void> {
    const rows = this.#prefetchedEntries;
    if (rows.length === 0) return;
    for (const party of await partiesBetween(this.reader, rows[0]!.sequence, rows.at(-1)!.sequence))
      this.#parties.set(party.sequence, [...(this.#parties.get(party.sequence) ?? []), party]);
  }

  #checkEntry(row: EntryRow): void {
    this.sequence = row.sequence;
    this.#entries += 1;
    this.#tail.set(row.sequence, row);
    const parties = this.#parties.get(row.sequence) ?? [];
    this.#parties.delete(row.sequence);
    const isReadable = this.onEntry(row);
    const reason = this.#whyBad(row, parties) ?? (isReadable ? undefined : 'altered');
    if (reason !== undefined) this.#fault(row.sequence, reason);
  }

  #whyBad(row: EntryRow, parties: readonly PartyRow[]): LogFault['why'] | undefined {
    if (!arePartyRows(parties, row) || row.family !== familyOf(row.action)) return 'altered';
    const { sign } = this.options;
    if (!isKeyed(row)) {
      if (this.#signedFrom !== undefined && row.sequence >= this.#signedFrom) return 'unsigned';
      return macOf(row, undefined) === row.mac ? undefined : 'altered';
    }
    if (sign === undefined || row.sequence < (this.#replacedAt ?? 0)) return undefined;
    return macOf(row, sign) === row.mac ? undefined : 'altered';
  }

  #fault(entry: number, reason: LogFault['why']): void {
    if (this.#faults.length < maxFaults) this.#faults.push({ entry, why: reason });
  }

  findings(): Pick<Findings, 'entries' | 'head' | 'logFaults' | 'signedFrom' | 'replacedAt'> {
    const { size, root } = this.#head;
    const faults = [...this.#faults];
    for (const entry of this.#knownRoots.keys()) if (entry > size) faults.push({ entry, why: 'cut' });
    return {
      entries: this.#entries,
      head: { size, root },
      logFaults: faults.sort((a, b) => a.entry - b.entry),
      signedFrom: this.#signedFrom,
      replacedAt: this.#replacedAt,
    };
  }
}

interface RecordIndex {
  readonly tables: RecordTables;
  /** The newest mention of every record in the log; null for a hash: it was removed. */
  readonly newest: Map<string, { readonly hash: string | null; readonly entry: number }>;
}

/** @returns false if the hashes of the entry cannot be read */
function mention(index: RecordIndex, row: EntryRow): boolean {
  if (row.records === null) return true;
  try {
    const hashes = JSON.parse(row.records) as Record<string, string | null>;
    for (const [record, hash] of Object.entries(hashes)) index.newest.set(record, { hash, entry: row.sequence });
    return true;
  } catch {
    return false;
  }
}

interface Suspect {
  readonly table: RecordTableName;
  readonly record: string;
}

async function verifyRecords(
  reader: Reader,
  index: RecordIndex,
  walk: Walk,
): Promise<Pick<Findings, 'records' | 'recordFaults'>> {
  let records = 0;
  const seenRecords = new Set<string>();
  let suspects: Suspect[] = [];
  for (const table of recordTableNames) {
    let last: StoredRecord | undefined;
    for (;;) {
      const batch = await recordsAfter(reader, table, last, page);
      for (const storedRecord of batch) {
        const record = recordKey(table, storedRecord.row);
        seenRecords.add(record);
        records++;
        if (judge(index, record, storedRecord) !== undefined && suspects.length < maxFaults)
          suspects.push({ table, record });
      }
      last = batch.at(-1);
      if (batch.length < page) break;
    }
  }
  for (const [record, { hash }] of index.newest) {
    const table = hash === null || seenRecords.has(record) ? undefined : tableOfKey(record);
    if (table !== undefined && suspects.length < maxFaults) suspects.push({ table, record });
  }
  // Records that were written since the log was read: the entries since then say so.
  for (let round = 0; round < maxRounds && suspects.length > 0; round++) {
    const previousSequence = walk.sequence;
    await walk.advance();
    if (round > 0 && walk.sequence === previousSequence) break;
    const remainingSuspects: Suspect[] = [];
    for (const suspect of suspects) {
      const storedRecord = await findRecord(reader, suspect.table, suspect.record);
      if (judge(index, suspect.record, storedRecord) !== undefined) remainingSuspects.push(suspect);
    }
    suspects = await withoutUnsettled(reader, index.tables, walk, remainingSuspects);
  }
  const recordFaults: RecordFault[] = [];
  for (const { table, record } of suspects) {
    const reason = judge(index, record, await findRecord(reader, table, record));
    const entry = index.newest.get(record)?.entry;
    if (reason !== undefined) recordFaults.push({ record, why: reason, entry });
  }
  return { records, recordFaults };
}

const maxRounds = 5;

/**
 * While an older transaction is open, newer entries are not settled, but the records that they tell of can be read.
 * Such a record is judged by its newest hash all the same, if the entry is signed as it stands there.
 */
async function withoutUnsettled(
  reader: Reader,
  tables: RecordTables,
  walk: Walk,
  suspects: readonly Suspect[],
): Promise<Suspect[]> {
  if (suspects.length === 0) return [];
  const unsettledIndex: RecordIndex = { tables, newest: new Map() };
  for (const row of await walk.listUnsettled()) mention(unsettledIndex, row);
  const remainingSuspects: Suspect[] = [];
  for (const suspect of suspects) {
    const isMentioned = unsettledIndex.newest.has(suspect.record);
    const storedRecord = await findRecord(reader, suspect.table, suspect.record);
    if (!isMentioned || judge(unsettledIndex, suspect.record, storedRecord) !== undefined)
      remainingSuspects.push(suspect);
  }
  return remainingSuspects;
}

function judge(
  index: RecordIndex,
  record: string,
  storedRecord: StoredRecord | undefined,
): RecordFault['why'] | undefined {
  const mentionedHash = index.newest.get(record)?.hash;
  if (storedRecord === undefined) return typeof mentionedHash === 'string' ? 'missing' : undefined;
  if (typeof mentionedHash !== 'string') return 'surplus';
  return fits(storedRecord, mentionedHash, index.tables) ? undefined : 'altered';
}
