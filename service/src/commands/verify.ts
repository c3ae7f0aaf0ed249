/** `audit verify` and `audit head`, for operators and nightly jobs. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { listLogCommitmentsWithoutHead } from '../proofs/rows.js';
import { type AnchorFault, type AnchorSource, IndexUnreadable, verifyAnchors } from '../proofs/verify-anchors.js';
import { type MonthFault, type MonthFindings, verifyMonths } from '../proofs/verify-months.js';
import type { Sign } from '../store/audit/audit.js';
import { findKeyReplacement, readHead } from '../store/audit/rows.js';
import { type Findings, type LogFault, type RecordFault, verifyAll } from '../store/audit/verify.js';
import { describeSetBacks, isSetBack, setBackSentence } from '../store/set-back.js';

export interface CommandResult {
  readonly exitCode: 0 | 1;
  readonly text: string;
}

export interface VerifyRequest {
  /** A head as it was printed: `17:9f86d081…`, size and root. */
  readonly head?: string | undefined;
  /** Lines of a file of heads; see {@link headLine}. */
  readonly heads?: string | undefined;
  /** Absent without DATA_KEY. */
  readonly sign?: Sign | undefined;
  /** Compares with an index. */
  readonly anchors?: AnchorSource | undefined;
  /** The note beside an SQLite file, see `store/set-back.ts`. */
  readonly note?: string | undefined;
}

/** So many faults of a kind are printed. */
const maxPrintedLines = 50;

/** Verifies the audit log and every record. @returns exit code 0 intact, 1 not intact or not provable */
export async function runVerify(
  reader: Reader,
  { head, heads = '', sign, anchors, note }: VerifyRequest,
): Promise<CommandResult> {
  const isOlder = await isSetBack(reader, note);
  const rootsBySize = new Map<number, string>();
  const unreadableHeads: string[] = [];
  const replacedAt = (await findKeyReplacement(reader))?.at;
  for (const [number, line] of [...(head === undefined ? [] : [head]), ...heads.split('\n')].entries()) {
    if (line.trim() === '') continue;
    const storedHead = readHeadLine(line, sign, replacedAt);
    if (storedHead === undefined || (rootsBySize.get(storedHead.size) ?? storedHead.root) !== storedHead.root)
      unreadableHeads.push(`heads NOT intact: line ${head === undefined ? number + 1 : number} is forged or damaged`);
    else rootsBySize.set(storedHead.size, storedHead.root);
  }
  const verification = await verifyAll(reader, { heads: rootsBySize, sign });
  const months = await verifyMonths(reader);
  const anchorFindings = anchors === undefined ? undefined : await readAnchors(reader, anchors);
  const faults = [
    ...unreadableHeads,
    ...truncate(verification.logFaults.map(describeLogFault)),
    ...truncate(verification.recordFaults.map(describeRecordFault)),
    ...truncate(months.faults.map(describeMonthFault)),
    ...truncate((await listLogCommitmentsWithoutHead(reader)).map(({ period }) => describeLogCommitment(period))),
    ...truncate(anchorFindings?.lines ?? []),
    ...signingFaults(verification, sign),
    ...(isOlder ? [`history NOT complete: ${setBackSentence}`] : []),
  ];
  if (faults.length > 0) return { exitCode: 1, text: faults.join('\n') };
  return {
    exitCode: 0,
    text: [
      ...summaryOf(verification, months),
      ...(anchorFindings?.summary ?? []),
      ...(await describeSetBacks(reader)),
    ].join('\n'),
  };
}

function truncate(lines: readonly string[]): string[] {
  if (lines.length <= maxPrintedLines) return [...lines];
  return [...lines.slice(0, maxPrintedLines), `and ${lines.length - maxPrintedLines} more like this`];
}

const faults: Readonly<Record<LogFault['why'], (entry: number) => string>> = {
  altered: (entry) => `entry ${entry} was altered, moved or copied`,
  missing: (entry) => `entry ${entry} is missing`,
  added: (entry) => `entry ${entry} was added later`,
  unsigned: (entry) => `entry ${entry} is not signed`,
  head: (entry) => `the head at entry ${entry} does not fit the entries, its signature or a stored head`,
  cut: (size) => `it ends before entry number ${size}, which a stored head has`,
};

function describeLogFault({ entry, why }: LogFault): string {
  return `audit log NOT intact: ${faults[why](entry)}`;
}

function describeRecordFault({ record, why, entry }: RecordFault): string {
  const hint = entry === undefined ? 'no entry knows it' : `see entry ${entry}`;
  return `record NOT intact: ${record} ${why === 'altered' ? 'was altered' : `is ${why}`} (${hint})`;
}

const monthFaults: Readonly<Record<MonthFault['why'], string>> = {
  root: 'the root that was committed to does not follow from the leaves',
  order: 'its revisions do not follow each other',
  leaf: 'the bytes that were committed to were altered',
  gone: 'the bytes that were committed to are gone, and the person was not erased',
  changed: 'is not as it was when the month was closed',
  missing: 'was there when the month was closed, and is not any more',
  added: 'was closed without a commitment',
  unreadable: 'is damaged',
};

function describeMonthFault({ companyId, month, personId, part, why }: MonthFault): string {
  const owner = personId === undefined ? '' : ` of person ${personId}`;
  const subject = part === undefined ? `${month}${owner}` : `${part}${owner}`;
  return `closed month NOT intact: company ${companyId}, ${subject}: ${monthFaults[why]}`;
}

function describeLogCommitment(period: string): string {
  return `audit log NOT intact: ${period} was committed to, and no head has its root`;
}

/** @returns faults as lines, and a summary for the case without any */
async function readAnchors(
  reader: Reader,
  source: AnchorSource,
): Promise<{ readonly lines: readonly string[]; readonly summary: readonly string[] }> {
  try {
    const { anchors, faults, isWhole } = await verifyAnchors(reader, source);
    if (anchors === 0) {
      const sentence = `${source.index} lists none of this installation by ${source.sender}`;
      return { lines: [`anchors NOT checked: ${sentence}`], summary: [] };
    }
    return {
      lines: faults.map(describeAnchorFault),
      summary: [
        `anchors fit: ${anchors} on the ledger`,
        ...(isWhole ? [] : [`${source.index} has not read the whole ledger: later anchors may be missing`]),
      ],
    };
  } catch (error) {
    if (!(error instanceof IndexUnreadable)) throw error;
    return { lines: [`anchors NOT checked: ${error.message}`], summary: [] };
  }
}

function describeAnchorFault({ companyId, period, root }: AnchorFault): string {
  return companyId === undefined
    ? `audit log NOT intact: ${period} is on the ledger with a root that no head has: ${root}`
    : `closed month NOT intact: company ${companyId}, ${period} is on the ledger with a root that no commitment has: ${root}`;
}

/** A log that lost its signatures must not pass as one that never had any. */
function signingFaults({ signedFrom, entries }: Findings, sign: Sign | undefined): string[] {
  if (sign === undefined && signedFrom !== undefined)
    return [`signatures NOT checked: the log is signed from entry ${signedFrom} on, and DATA_KEY is not set`];
  if (sign !== undefined && signedFrom === undefined && entries > 0)
    return ['audit log NOT signed: the service signs it when it starts with DATA_KEY; if it has, the log was replaced'];
  return [];
}

function summaryOf(
  { entries, head, signedFrom, replacedAt, records }: Findings,
  { commitments }: MonthFindings,
): string[] {
  return [
    `audit log intact: ${entries} entries`,
    `records intact: ${records} checked`,
    ...(commitments === 0 ? [] : [`closed months intact: ${commitments} commitments checked`]),
    ...(head.size === entries ? [] : [`${entries - head.size} entries are not sealed yet; the service seals them`]),
    signedFrom === undefined ? 'not signed: there is no DATA_KEY' : `signed from entry ${signedFrom} on`,
    ...(replacedAt === undefined
      ? []
      : [
          `DATA_KEY was lost and replaced: signatures before entry ${replacedAt} cannot be checked; that entry vouches for the log as it was then`,
        ]),
    `head ${head.size}:${head.root}`,
  ];
}

/**
 * The head of the log as a line for a file outside of the database: `17:9f86d081… 2026-11-22T08:00:00.000Z signature`.
 * The signature is a keyed hash of the rest, `unsigned` without DATA_KEY.
 * @returns undefined for an empty log
 */
export async function headLine(reader: Reader, at: Instant, sign: Sign | undefined): Promise<string | undefined> {
  const { size, root } = await readHead(reader);
  if (size === 0) return undefined;
  const text = `${size}:${root} ${formatInstant(at)}`;
  return `${text} ${sign === undefined ? 'unsigned' : sign(noteText(text))}`;
}

const noteText = (text: string) => `clockproof head ${text}`;

/**
 * @param replacedAt the instant at which a lost DATA_KEY was replaced: a line from before counts as unsigned
 * @returns undefined if the line is no head, or its signature does not fit
 */
function readHeadLine(
  line: string,
  sign: Sign | undefined,
  replacedAt = -1,
): { readonly size: number; readonly root: string } | undefined {
  const [, text, size, root, at, signature] =
    /^(?:head )?(([1-9][0-9]{0,15}):([0-9a-f]{64})(?: ([^ ]+))?)(?: ([0-9a-f]{64}|unsigned))?\s*$/.exec(line) ?? [];
  if (text === undefined) return undefined;
  const isChecked = sign !== undefined && signature !== undefined && (parseInstant(at ?? '') ?? 0) > replacedAt;
  if (isChecked && signature !== 'unsigned' && sign(noteText(text)) !== signature) return undefined;
  return { size: Number(size), root: root! };
}
