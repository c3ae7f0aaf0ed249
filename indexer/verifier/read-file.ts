/** Reads a person's proof file: step 1 of `docs/protocols/month-proof.md`. Refuses every other form. */

export interface Part {
  readonly name: string;
  /** The hash of a hidden part. */
  readonly hash?: string;
  readonly salt?: string;
  readonly text?: string;
  /** The parsed text. */
  readonly content?: unknown;
}

export interface Head {
  readonly company_token: string;
  readonly person_token: string;
  readonly period: string;
  readonly revision: number;
  readonly attempt: number;
  readonly previous_root: string | null;
  readonly closed_at: string;
  readonly time_zone: string;
}

export interface Anchor {
  readonly tx: string;
  readonly sender: string;
  readonly package?: unknown;
  readonly chain?: unknown;
}

export interface ProofFile {
  readonly head: Head;
  readonly parts: readonly Part[];
  readonly slot: unknown;
  readonly path: readonly unknown[];
  readonly root: string;
  /** Hints; the file proves none of them. */
  readonly anchors: readonly Anchor[];
  readonly indexes: readonly string[];
}

/** The message says what is not of the form. */
export class WrongForm extends Error {
  override readonly name = 'WrongForm';
}

type Json = Readonly<Record<string, unknown>>;

/** A file of a whole month has 30 kB. */
export const maxFileBytes = 5_000_000;

/** @returns the text of a file, without the byte order mark that some editors put before it */
export const textOfFile = (bytes: ArrayBuffer | Uint8Array): string => new TextDecoder().decode(bytes);

export const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
/** A line break in a token could move the border between two members of what is hashed. */
const isToken = (value: unknown): value is string => typeof value === 'string' && /^[0-9A-Za-z_-]{1,128}$/.test(value);

function demand(condition: boolean, part: string): asserts condition {
  if (!condition) throw new WrongForm(part);
}

/** @param text of the file. @throws WrongForm */
export function readProofFile(text: string): ProofFile {
  const file = parse(text, 'file');
  demand(isObject(file) && file['format'] === 'clockproof proof 1', 'format');
  demand(isHash(file['root']), 'root');
  demand(Array.isArray(file['path']), 'path');
  demand(Array.isArray(file['parts']), 'parts');
  const parts = file['parts'].map(readPart);
  const head = readHead(parts[0]);
  const names = ['head', 'person', 'figures', 'bookings', 'sign_offs', 'steps', ...daysOf(head.period)];
  demand(parts.length === names.length && parts.every(({ name }, place) => name === names[place]), 'parts');
  return {
    head,
    parts,
    slot: file['slot'],
    path: file['path'],
    root: file['root'],
    anchors: listOf(file['anchors']).filter(
      (anchor): anchor is Json & Anchor =>
        isObject(anchor) && typeof anchor['tx'] === 'string' && typeof anchor['sender'] === 'string',
    ),
    indexes: listOf(file['indexes']).filter((index) => typeof index === 'string'),
  };
}

function readPart(part: unknown): Part {
  demand(isObject(part) && typeof part['name'] === 'string', 'parts');
  const { name, hash, salt, text } = part as Json & Part;
  if (text === undefined && salt === undefined) {
    demand(isHash(hash), name);
    return { name, hash };
  }
  demand(isHash(salt) && typeof text === 'string' && hash === undefined, name);
  const content = parse(text, name);
  demand(typeof content === 'object' && content !== null && canonical(content, name) === text, name);
  return { name, salt, text, content };
}

function readHead(part: Part | undefined): Head {
  const head = part?.name === 'head' ? part.content : undefined;
  demand(isObject(head), 'head');
  demand(head['format'] === 'clockproof month 1', 'format');
  demand(typeof head['period'] === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(head['period']), 'period');
  demand(isCount(head['revision']) && isCount(head['attempt']), 'revision');
  demand(isToken(head['company_token']) && isToken(head['person_token']), 'token');
  demand(head['previous_root'] === null || isHash(head['previous_root']), 'previous_root');
  demand(typeof head['closed_at'] === 'string' && typeof head['time_zone'] === 'string', 'head');
  return head as unknown as Head;
}

/** @param period `YYYY-MM` */
function daysOf(period: string): string[] {
  const [year, month] = period.split('-').map(Number) as [number, number];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const count = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
  return Array.from({ length: count }, (_, day) => `${period}-${String(day + 1).padStart(2, '0')}`);
}

function parse(text: string, part: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongForm(part);
  }
}

/** RFC 8785 for what a text may hold. A text with a member twice, or with half a character, has no such form. */
function canonical(value: unknown, part: string): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    demand(!/\p{Surrogate}/u.test(value), part);
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    demand(Number.isSafeInteger(value), part);
    return String(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, part)).join(',')}]`;
  // By UTF-16 code units, as `sort` compares.
  const members = Object.entries(value as Json).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, item]) => `${canonical(name, part)}:${canonical(item, part)}`).join(',')}}`;
}
