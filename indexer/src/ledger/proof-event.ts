/**
 * Turns an event of the anchor package into a proof, or into the reason why it is none. Pure: an event that is not
 * understood is counted and never stops the stream.
 *
 * The struct is recognised by its fields, not by its name: a Merkle root, a company token and a period. The bytes (BCS,
 * read by the layout of the type) are the truth; the JSON a node renders beside them differs between dialects and is
 * used only where a node gives no layout.
 */
import type { Instant } from '@clockproof/platform/time/instant';
import { decodeBcs, decodeUtf8, isSupported, type Layout, type MoveValue } from './bcs.js';
import { normaliseAddress, normaliseRoot } from './identifiers.js';

/** One event as a node tells it, in one form for all dialects. */
export interface LedgerEvent {
  /** Transaction digest, Base58. */
  readonly tx: string;
  /** Position among all events of the transaction, from 0. */
  readonly sequence: number;
  readonly checkpoint: number;
  readonly ledgerTime: Instant | null;
  /** Signer of the transaction, from the envelope. */
  readonly sender: string | null;
  /** `0x…::module::Name`; the address is that of the package version which first defined the struct. */
  readonly type: string;
  readonly json: unknown;
  readonly bcs: Uint8Array | null;
}

export interface Proof {
  readonly tx: string;
  readonly eventSequence: number;
  readonly checkpoint: number;
  readonly ledgerTime: Instant | null;
  readonly sender: string;
  readonly package: string;
  readonly companyToken: string;
  readonly period: string;
  /** 32 bytes as 64 lower-case hex digits. */
  readonly merkleRoot: string;
  readonly eventType: string;
  readonly eventBcs: Uint8Array | null;
}

export type RejectionReason =
  | 'foreign_package'
  | 'foreign_sender'
  | 'sender_missing'
  | 'sender_differs'
  | 'not_a_proof'
  | 'payload_unreadable'
  | 'root_malformed'
  | 'token_malformed'
  | 'period_malformed'
  | 'incomplete';

/** An event of the package that is no readable proof; kept so that a count can be explained. */
export interface RejectedEvent {
  readonly tx: string;
  readonly sequence: number;
  readonly checkpoint: number | null;
  readonly type: string;
  readonly sender: string | null;
  readonly reason: RejectionReason;
  readonly raw: string;
}

export type Decoded =
  | {
      readonly kind: 'proof';
      readonly proof: Proof /** The JSON beside the bytes says something else. */;
      readonly jsonDiffers: boolean;
    }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason };

export interface Expectation {
  /** Ids under which versions of the package defined structs, normalised. */
  readonly packages: ReadonlySet<string>;
  /** Senders to index, normalised; empty means all. */
  readonly senders: ReadonlySet<string>;
}

const names = {
  root: ['merkle_root', 'merkleRoot', 'root'],
  token: ['company_token', 'companyToken', 'company', 'token'],
  period: ['period'],
  sender: ['sender'],
} as const;
type Part = keyof typeof names;

/**
 * A public Move function can be called by anyone: these bounds keep one hostile caller from filling the index with
 * long texts.
 */
const maxLengths = { token: 128, period: 32 } as const;

export function decodeProofEvent(event: LedgerEvent, layout: Layout | undefined, expectations: Expectation): Decoded {
  const reject = (reason: RejectionReason): Decoded => ({ kind: 'rejected', reason });
  const definedBy = packageOfType(event.type);
  if (definedBy === undefined || !expectations.packages.has(definedBy)) return reject('foreign_package');
  const sender = event.sender === null ? undefined : normaliseAddress(event.sender);
  if (sender === undefined) return reject('sender_missing');
  if (expectations.senders.size > 0 && !expectations.senders.has(sender)) return reject('foreign_sender');

  // With a layout only the bytes count: JSON cannot tell bytes from text and would make another record of the event.
  const readable = layout !== undefined && isSupported(layout);
  const fromBytes = readable && event.bcs !== null ? fieldsOfBytes(event.bcs, layout) : undefined;
  if (readable && fromBytes === undefined) return reject('payload_unreadable');
  const fromJson = fieldsOfJson(event.json);
  const fields = fromBytes ?? fromJson;
  if (fields === undefined) return reject('payload_unreadable');
  if (fields.root === undefined && fields.token === undefined && fields.period === undefined)
    return reject('not_a_proof');

  const merkleRoot = fields.root === undefined ? undefined : rootOf(fields.root);
  if (merkleRoot === undefined) return reject('root_malformed');
  const companyToken = fields.token === undefined ? undefined : textOf(fields.token, maxLengths.token);
  if (companyToken === undefined) return reject('token_malformed');
  const period = fields.period === undefined ? undefined : textOf(fields.period, maxLengths.period);
  if (period === undefined) return reject('period_malformed');
  if (fields.sender !== undefined && addressOf(fields.sender) !== sender) return reject('sender_differs');

  return {
    kind: 'proof',
    jsonDiffers: fromBytes !== undefined && fromJson?.root !== undefined && rootOf(fromJson.root) !== merkleRoot,
    proof: {
      tx: event.tx,
      eventSequence: event.sequence,
      checkpoint: event.checkpoint,
      ledgerTime: event.ledgerTime,
      sender,
      package: definedBy,
      companyToken,
      period,
      merkleRoot,
      eventType: event.type,
      eventBcs: event.bcs,
    },
  };
}

/** `0x2::coin::Coin<…>` → the normalised address in front. */
export function packageOfType(type: string): string | undefined {
  const match = /^(0x[0-9a-fA-F]{1,64})::[A-Za-z_][A-Za-z0-9_]*::[A-Za-z_]/.exec(type);
  return match === null ? undefined : normaliseAddress(match[1]!);
}

type Fields = Readonly<Partial<Record<Part, MoveValue>>>;

function fieldsOfBytes(bytes: Uint8Array, layout: Layout): Fields | undefined {
  try {
    const value = decodeBcs(bytes, layout);
    return value.kind === 'struct' ? pick(value.fields) : undefined;
  } catch {
    return undefined;
  }
}

/** JSON without a layout: arrays of numbers are bytes, everything else that is text stays text. */
function fieldsOfJson(json: unknown): Fields | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  const values: Record<string, MoveValue> = Object.create(null) as Record<string, MoveValue>;
  for (const [name, value] of Object.entries(json)) {
    if (typeof value === 'string') values[name] = { kind: 'text', text: value };
    else if (isByteArray(value)) values[name] = { kind: 'bytes', bytes: Uint8Array.from(value) };
    else values[name] = { kind: 'vector', items: [] };
  }
  return pick(values);
}

function pick(values: Readonly<Record<string, MoveValue>>): Fields {
  const fields: Partial<Record<Part, MoveValue>> = {};
  for (const part of Object.keys(names) as Part[]) {
    const name = names[part].find((name) => values[name] !== undefined);
    if (name !== undefined) fields[part] = values[name]!;
  }
  return fields;
}

function isByteArray(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length <= 4_096 &&
    value.every((item) => Number.isInteger(item) && item >= 0 && item <= 255)
  );
}

/** 32 bytes are 64 hex digits, 44 Base64 characters or 32 numbers: the forms cannot be taken for each other. */
function rootOf(value: MoveValue): string | undefined {
  if (value.kind === 'bytes') return value.bytes.length === 32 ? Buffer.from(value.bytes).toString('hex') : undefined;
  if (value.kind === 'address') return value.address.slice(2);
  if (value.kind !== 'text') return undefined;
  return normaliseRoot(value.text) ?? rootOfBase64(value.text);
}

function rootOfBase64(text: string): string | undefined {
  if (!/^(?:[A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const canonical = bytes.toString('base64').replace('=', '');
  return bytes.length === 32 && canonical === text.replace('=', '').replaceAll('-', '+').replaceAll('_', '/')
    ? bytes.toString('hex')
    : undefined;
}

/**
 * Visible characters only: controls, format characters, lone surrogates and line separators could make two tokens look
 * the same on a screen.
 */
function textOf(value: MoveValue, maxCharacters: number): string | undefined {
  const text = value.kind === 'text' ? value.text : value.kind === 'bytes' ? decodeUtf8(value.bytes) : undefined;
  if (text === undefined || text.length === 0 || text.length > 2 * maxCharacters || [...text].length > maxCharacters)
    return undefined;
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(text) ? undefined : text;
}

function addressOf(value: MoveValue): string | undefined {
  if (value.kind === 'address') return value.address;
  if (value.kind === 'bytes')
    return value.bytes.length === 32 ? `0x${Buffer.from(value.bytes).toString('hex')}` : undefined;
  return value.kind === 'text' ? normaliseAddress(value.text) : undefined;
}
