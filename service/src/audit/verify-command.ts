/** `audit verify` and `audit head`: what operators and nightly jobs run. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { Sign } from './audit.js';
import { findKeyReplacement, readHead } from './rows.js';
import { type Findings, type LogFault, type RecordFault, verifyAll } from './verify.js';

export interface CommandResult {
  readonly exitCode: 0 | 1;
  readonly text: string;
}

export interface VerifyRequest {
  /** A head as it was printed: `17:9f86d081…`. */
  readonly head?: string | undefined;
  /** Lines of a file of heads; see {@link headLine}. */
  readonly heads?: string | undefined;
  /** Absent without DATA_KEY. */
  readonly sign?: Sign | undefined;
}

/** So many faults of a kind are printed. */
const printed = 50;

/** Verifies the audit log and every record. @returns exit code 0 intact, 1 not intact or not provable */
export async function runVerify(reader: Reader, { head, heads = '', sign }: VerifyRequest): Promise<CommandResult> {
  const known = new Map<number, string>();
  const unreadable: string[] = [];
  const replacedAt = await findKeyReplacement(reader);
  for (const [number, line] of [...(head === undefined ? [] : [head]), ...heads.split('\n')].entries()) {
    if (line.trim() === '') continue;
    const one = readHeadLine(line, sign, replacedAt);
    if (one === undefined || (known.get(one.sequence) ?? one.hash) !== one.hash)
      unreadable.push(`heads NOT intact: line ${head === undefined ? number + 1 : number} is forged or damaged`);
    else known.set(one.sequence, one.hash);
  }
  const found = await verifyAll(reader, { heads: known, sign });
  const faults = [
    ...unreadable,
    ...some(found.logFaults.map(describeLogFault)),
    ...some(found.recordFaults.map(describeRecordFault)),
    ...signingFaults(found, sign),
  ];
  if (faults.length > 0) return { exitCode: 1, text: faults.join('\n') };
  return { exitCode: 0, text: summaryOf(found).join('\n') };
}

function some(lines: readonly string[]): string[] {
  if (lines.length <= printed) return [...lines];
  return [...lines.slice(0, printed), `and ${lines.length - printed} more like this`];
}

function describeLogFault({ entry, upTo, why }: LogFault): string {
  if (why === 'unsigned') return `audit log NOT intact: entry ${entry} is not signed`;
  if (why === 'forged') return `audit log NOT intact: entry ${entry} has a signature that does not fit`;
  if (why === 'cut') return `audit log NOT intact: entry ${entry} is missing at the end`;
  return upTo === undefined
    ? `audit log NOT intact: entry ${entry} is ${why}`
    : `audit log NOT intact: entries ${entry} to ${upTo} are missing`;
}

function describeRecordFault({ record, why, entry }: RecordFault): string {
  const said = entry === undefined ? 'no entry knows it' : `see entry ${entry}`;
  return `record NOT intact: ${record} ${why === 'altered' ? 'was altered' : `is ${why}`} (${said})`;
}

/** A log that lost its signatures must not pass as one that never had any. */
function signingFaults({ signedFrom, entries }: Findings, sign: Sign | undefined): string[] {
  if (sign === undefined && signedFrom !== undefined)
    return [`signatures NOT checked: the log is signed from entry ${signedFrom} on, and DATA_KEY is not set`];
  if (sign !== undefined && signedFrom === undefined && entries > 0)
    return [
      'audit log NOT signed: the service signs it when it starts with DATA_KEY, on PostgreSQL an hour after an upgrade; if it has, the log was replaced',
    ];
  return [];
}

function summaryOf({ entries, head, signedFrom, replacedAt, adoptedFrom, records }: Findings): string[] {
  const { checked, adopted, unhashed } = records;
  return [
    `audit log intact: ${entries} entries`,
    `records intact: ${checked} checked${adopted === 0 ? '' : `, ${adopted} of them unchanged since they were adopted from an earlier version`}`,
    ...(unhashed === 0 ? [] : [`${unhashed} records of an earlier version are not in the log yet`]),
    ...(adoptedFrom === undefined
      ? [
          'records that the log does not know are not reported yet: the service adopts those of earlier versions at its start',
        ]
      : []),
    signedFrom === undefined ? 'not signed: there is no DATA_KEY' : `signed from entry ${signedFrom} on`,
    ...(replacedAt === undefined
      ? []
      : [
          `DATA_KEY was lost and replaced: signatures before entry ${replacedAt} cannot be checked; that entry vouches for the log as it was then`,
        ]),
    `head ${head.sequence}:${head.hash}`,
  ];
}

/**
 * The head of the log as a line for a file outside of the database: `17:9f86d081… 2026-11-22T08:00:00.000Z signature`.
 * The signature is a keyed hash of the rest, `unsigned` without DATA_KEY.
 * @returns undefined for an empty log
 */
export async function headLine(reader: Reader, at: Instant, sign: Sign | undefined): Promise<string | undefined> {
  const { sequence, hash } = await readHead(reader);
  if (sequence === 0) return undefined;
  const text = `${sequence}:${hash} ${formatInstant(at)}`;
  return `${text} ${sign === undefined ? 'unsigned' : sign(headText(text))}`;
}

const headText = (text: string) => `clockproof head ${text}`;

/** @returns undefined if the line is no head, or its signature does not fit */
function readHeadLine(
  line: string,
  sign: Sign | undefined,
  replacedAt = 0,
): { readonly sequence: number; readonly hash: string } | undefined {
  const [, text, sequence, hash, signature] =
    /^(?:head )?(([1-9][0-9]{0,15}):([0-9a-f]{64})(?: [^ ]+)?)(?: ([0-9a-f]{64}|unsigned))?\s*$/.exec(line) ?? [];
  if (text === undefined) return undefined;
  // One of a lost key counts as unsigned.
  const isChecked = sign !== undefined && signature !== undefined && Number(sequence) >= replacedAt;
  if (isChecked && signature !== 'unsigned' && sign(headText(text)) !== signature) return undefined;
  return { sequence: Number(sequence), hash: hash! };
}
