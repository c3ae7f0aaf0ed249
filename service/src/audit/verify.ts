/**
 * Verification of the log: its chain, its signatures, heads that were stored elsewhere, and every record against its
 * newest hash. Reads in pages; memory grows by 48 to 96 bytes a record. May run while the service writes.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { anchorReach, hashOf, type LogHead, type Sign, signedText, zeroHash } from './audit.js';
import { createRecordIndex, type RecordIndex } from './record-index.js';
import {
  areParties,
  type RecordTableName,
  recordHash,
  recordKey,
  recordTableNames,
  type StoredRecord,
  tableOfKey,
} from './records.js';
import {
  type EntryRow,
  entriesAfter,
  findEntry,
  findKeyReplacement,
  findRecord,
  partiesBetween,
  readHead,
  recordsAfter,
} from './rows.js';

/** `upTo` is the last entry of a gap. */
export interface LogFault {
  readonly entry: number;
  readonly upTo?: number;
  /**
   * - `altered`: content, position, hash or search index was changed, or a head stored elsewhere says another hash
   * - `missing`: not there, though later ones are
   * - `cut`: the log ends before its head or a head stored elsewhere
   * - `unsigned`: in the signed part without a signature
   * - `forged`: with a signature that does not fit
   */
  readonly why: 'altered' | 'missing' | 'cut' | 'unsigned' | 'forged';
}

export interface RecordFault {
  /** `absence 12`; see `records.ts`. */
  readonly record: string;
  /** `missing`: the log has it, the table does not. `surplus`: the table has it, the log does not or says it is gone. */
  readonly why: 'altered' | 'missing' | 'surplus';
  /** The entry with the record's newest hash. */
  readonly entry?: number;
}

export interface Findings {
  readonly entries: number;
  readonly head: LogHead;
  /** In the order of the entries; the first ones of very many. */
  readonly logFaults: readonly LogFault[];
  readonly recordFaults: readonly RecordFault[];
  /** From which entry on the log is signed. */
  readonly signedFrom: number | undefined;
  /** The entry with which a lost DATA_KEY was replaced: signatures before it cannot be checked, it vouches for them. */
  readonly replacedAt: number | undefined;
  /** From which entry on every record has its hash in the log. */
  readonly adoptedFrom: number | undefined;
  readonly records: {
    /** Compared with their hashes. */
    readonly checked: number;
    /** Of these, unchanged since they were adopted from an earlier version. */
    readonly adopted: number;
    /** Of an earlier version and not adopted yet. */
    readonly unhashed: number;
  };
}

export interface VerifyOptions {
  /** Heads stored outside of this database: hash by number of the entry. */
  readonly heads?: ReadonlyMap<number, string> | undefined;
  /** Without it, signatures are not checked. */
  readonly sign?: Sign | undefined;
}

const page = 1_000;
/** So many faults of a kind are kept. */
const mostFaults = 10_000;

/** Verifies the log and every record. */
export async function verifyAll(reader: Reader, options: VerifyOptions = {}): Promise<Findings> {
  const index = createRecordIndex();
  const replacedAt = await findKeyReplacement(reader);
  const walk = createWalk(reader, { ...options, replacedAt }, (row) => mention(index, row));
  await walk.advance();
  const records = await verifyRecords(reader, index, walk);
  return { ...walk.findings(), ...records, replacedAt };
}

export type Verification =
  | { readonly intact: true; readonly entries: number; readonly head: LogHead }
  | { readonly intact: false; readonly firstBad: number; readonly why: LogFault['why'] };

/**
 * Walks the chain alone, without records and signatures.
 * @param knownHead a head (`hash` in hex) stored earlier outside this database: without it, removal of the newest
 * entries together with the head goes unnoticed
 */
export async function verifyAudit(reader: Reader, knownHead?: LogHead): Promise<Verification> {
  const heads = new Map(knownHead === undefined ? [] : [[knownHead.sequence, knownHead.hash] as const]);
  const walk = createWalk(reader, { heads }, () => undefined);
  await walk.advance();
  const { logFaults, entries, head } = walk.findings();
  const [first] = logFaults;
  return first === undefined
    ? { intact: true, entries, head }
    : { intact: false, firstBad: first.entry, why: first.why };
}

interface Walk {
  /** Goes on to the head as it is now. */
  advance(): Promise<void>;
  readonly sequence: number;
  readonly adoptedFrom: number | undefined;
  findings(): Pick<Findings, 'entries' | 'head' | 'logFaults' | 'signedFrom' | 'adoptedFrom'>;
}

function createWalk(
  reader: Reader,
  { heads = new Map(), sign, replacedAt }: VerifyOptions & { readonly replacedAt?: number | undefined },
  onEntry: (row: EntryRow) => boolean | undefined,
): Walk {
  const faults: LogFault[] = [];
  let cut: LogFault | undefined;
  let head: LogHead = { sequence: 0, hash: zeroHash };
  let sequence = 0;
  let previous: string | undefined = zeroHash;
  let signedFrom: number | undefined;
  let adoptedFrom: number | undefined;
  const signatures = createSignatureCheck(sign, replacedAt);
  const fault = (one: LogFault) => {
    if (faults.length < mostFaults) faults.push(one);
  };

  const whyBad = (row: EntryRow, parties: readonly string[]): LogFault['why'] | undefined => {
    // Behind a gap the hash before is unknown.
    if (previous !== undefined && hashOf(previous, row) !== row.hash) return 'altered';
    const known = heads.get(row.sequence);
    if (known !== undefined && known !== row.hash) return 'altered';
    if (!areParties(parties, row)) return 'altered';
    return signatures.whyBad(row, signedFrom !== undefined);
  };
  const take = (row: EntryRow, parties: readonly string[]) => {
    if (row.sequence > sequence + 1) {
      fault({
        entry: sequence + 1,
        ...(row.sequence > sequence + 2 ? { upTo: row.sequence - 1 } : {}),
        why: 'missing',
      });
      previous = undefined;
    }
    const why = whyBad(row, parties);
    const readable = onEntry(row);
    if (why !== undefined || readable === false) fault({ entry: row.sequence, why: why ?? 'altered' });
    signatures.keep(row);
    if (row.action === 'audit.signed' && row.signature !== null) signedFrom ??= row.sequence;
    if (row.action === 'audit.records_adopted' && row.details?.includes('"complete":true'))
      adoptedFrom ??= row.sequence;
    previous = row.hash;
    sequence = row.sequence;
  };

  return {
    get sequence() {
      return sequence;
    },
    get adoptedFrom() {
      return adoptedFrom;
    },
    async advance() {
      // Read before the entries: entries appended meanwhile are left for later.
      head = await readHead(reader);
      for (;;) {
        const rows = (await entriesAfter(reader, sequence, page)).filter((row) => row.sequence <= head.sequence);
        const beside = new Map<number, string[]>(rows.map((row) => [row.sequence, []]));
        if (rows.length > 0)
          for (const one of await partiesBetween(reader, rows[0]!.sequence, rows.at(-1)!.sequence))
            beside.get(one.sequence)?.push(one.party);
        for (const row of rows) take(row, beside.get(row.sequence)!);
        if (rows.length < page) break;
      }
      const furthest = Math.max(0, ...heads.keys());
      cut =
        head.sequence !== sequence || (previous ?? head.hash) !== head.hash || furthest > sequence
          ? { entry: sequence + 1, why: 'cut' }
          : undefined;
    },
    findings: () => ({
      entries: sequence,
      head: { sequence: head.sequence, hash: head.hash },
      logFaults: cut === undefined ? faults : [...faults, cut],
      signedFrom,
      adoptedFrom,
    }),
  };
}

/**
 * Remembers the hashes that a signature may be anchored to, and the signatures that may not be there again.
 * @param replacedAt signatures before this entry are of a lost key. The entry itself is signed with the present one and
 * anchored to the hash of the entry before, so it vouches for the log up to there.
 */
function createSignatureCheck(sign: Sign | undefined, replacedAt = 0) {
  const hashes = new Map<number, string>([[0, zeroHash]]);
  const recent = new Map<number, string>();
  const known = new Set<string>();
  return {
    whyBad(row: EntryRow, required: boolean): 'unsigned' | 'forged' | undefined {
      const { signature, anchor } = row;
      if (signature === null || anchor === null) {
        if (signature !== null || anchor !== null) return 'forged';
        return required || row.action === 'audit.signed' || row.action === 'audit.key_replaced'
          ? 'unsigned'
          : undefined;
      }
      const hash = hashes.get(anchor);
      if (anchor >= row.sequence || row.sequence - anchor > anchorReach || hash === undefined) return 'forged';
      if (known.has(signature)) return 'forged';
      if (sign === undefined || row.sequence < replacedAt) return undefined;
      if (row.sequence === replacedAt && anchor !== row.sequence - 1) return 'forged';
      if (sign(signedText(row, { sequence: anchor, hash })) !== signature) return 'forged';
      return undefined;
    },
    keep({ sequence, hash, signature }: EntryRow): void {
      hashes.set(sequence, hash);
      if (signature !== null) {
        recent.set(sequence, signature);
        known.add(signature);
      }
      const gone = sequence - anchorReach - 1;
      hashes.delete(gone);
      const old = recent.get(gone);
      if (old !== undefined) known.delete(old);
      recent.delete(gone);
    },
  };
}

/** Takes the hashes of an entry into the index. @returns false if they cannot be read */
function mention(index: RecordIndex, row: EntryRow): boolean {
  if (row.records === null) return true;
  const adopted = row.action === 'audit.records_adopted';
  try {
    const hashes = JSON.parse(row.records) as Record<string, string | null>;
    for (const [record, hash] of Object.entries(hashes)) index.set(record, hash, row.sequence, adopted);
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
  const records = { checked: 0, adopted: 0, unhashed: 0 };
  let suspects: Suspect[] = [];
  for (const table of recordTableNames) {
    let last: StoredRecord | undefined;
    for (;;) {
      const some = await recordsAfter(reader, table, last, page);
      for (const stored of some) {
        const record = recordKey(table, stored.row);
        const mentioned = index.get(record);
        index.markSeen(record);
        if (mentioned === undefined && walk.adoptedFrom === undefined) {
          records.unhashed++;
          continue;
        }
        records.checked++;
        if (mentioned?.adopted === true) records.adopted++;
        if (judge(index, record, stored) !== undefined && suspects.length < mostFaults)
          suspects.push({ table, record });
      }
      last = some.at(-1);
      if (some.length < page) break;
    }
  }
  suspects.push(...(await missingRecords(reader, index)));
  // Records that were written since the log was read: the entries since then say so.
  for (let round = 0; round < rounds && suspects.length > 0; round++) {
    const before = walk.sequence;
    await walk.advance();
    if (round > 0 && walk.sequence === before) break;
    const still: Suspect[] = [];
    for (const suspect of suspects) {
      const stored = await findRecord(reader, suspect.table, suspect.record);
      if (judge(index, suspect.record, stored) !== undefined) still.push(suspect);
    }
    suspects = still;
  }
  const recordFaults: RecordFault[] = [];
  for (const { table, record } of suspects) {
    const why = judge(index, record, await findRecord(reader, table, record));
    const entry = index.get(record)?.sequence;
    if (why !== undefined) recordFaults.push({ record, why, ...(entry === undefined ? {} : { entry }) });
  }
  return { records, recordFaults };
}

const rounds = 5;

function judge(index: RecordIndex, record: string, stored: StoredRecord | undefined): RecordFault['why'] | undefined {
  const mentioned = index.get(record);
  if (stored === undefined) return mentioned === undefined || mentioned.removed ? undefined : 'missing';
  if (mentioned === undefined || mentioned.removed) return 'surplus';
  return mentioned.isHash(recordHash(stored)) ? undefined : 'altered';
}

/** The log knows them only by entry: the entry has their names. */
async function missingRecords(reader: Reader, index: RecordIndex): Promise<Suspect[]> {
  const missing: Suspect[] = [];
  for (const { sequence, matches } of index.unseen()) {
    if (missing.length >= mostFaults) break;
    const { records } = (await findEntry(reader, sequence)) ?? { records: null };
    for (const record of Object.keys(JSON.parse(records ?? '{}') as object)) {
      const table = matches(record) ? tableOfKey(record) : undefined;
      if (table !== undefined) missing.push({ table, record });
    }
  }
  return missing;
}
