/**
 * The audit log: who did what, by which means, append-only and hash-chained. An entry is written in the transaction of
 * its effect, so that neither exists without the other. It identifies people by id and contains no secret, PIN or card
 * number.
 *
 * hash = SHA-256(previous hash ‖ canonical JSON of the entry), the first one over 32 zero bytes.
 *
 * An entry carries the hashes of the records it caused (`records.ts`). With DATA_KEY it is also signed: HMAC-SHA-256
 * over its content and the hash of an earlier entry, its anchor. Without the key one can neither add an entry nor change
 * an earlier one, since an anchor would no longer fit. The key never reaches the database, where PostgreSQL computes
 * the chained hash: someone who reads its statements must not learn the key.
 */
import { createHash } from 'node:crypto';
import {
  columnOf,
  jsonPieces,
  Later,
  type Lock,
  oneMoreThan,
  Reference,
  type Results,
  type Step,
  textOf,
} from '@clockproof/platform/database/batch';
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { CompanyId, ExtensionId } from '../ids.js';
import type { AuditAction } from './actions.js';
import { partiesOf, type RecordHashes, recordHash, recordKey, type StoredRecord } from './records.js';
import { type EntryRow, insertEntry, lockHead, moveHead } from './rows.js';

interface NamedActor {
  /** Id of the actor in the contract's form; `system` has none. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * A personal link comes with the extension it belongs to: every write is recorded with the extension (specification,
 * section 5).
 */
export type Actor =
  | (NamedActor & { readonly kind: 'person' | 'extension' | 'terminal' | 'system' })
  | (NamedActor & { readonly kind: 'personal_link'; readonly extensionId: ExtensionId });

export interface AuditEntry {
  readonly at: Instant;
  /** The company concerned; absent for the whole installation. */
  readonly companyId?: CompanyId | undefined;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** What it was done to: `person 12`, `terminal trm_…`. */
  readonly subject?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** The keyed hash of a text, 64 hex digits, with a key derived from DATA_KEY. */
export type Sign = (text: string) => string;

/** The head of the log as somebody read it: number and hash of its newest entry. */
export interface LogHead {
  readonly sequence: number;
  readonly hash: string;
}

/**
 * The anchor of a signature is at most so many entries behind it. Within this distance a copied entry is recognised by
 * its signature.
 */
export const anchorReach = 10_000;

/** The log is signed, and this process has no key to sign with. */
export class UnsignedEntry extends Error {
  override readonly name = 'UnsignedEntry';
}

type Content = Omit<EntryRow, 'sequence' | 'hash' | 'anchor' | 'signature'>;

/**
 * Appends one entry. It locks the log's head until the transaction ends, so call it late in a transaction.
 * @param records hashes of the records that the transaction stored
 * @throws {UnsignedEntry} the log is signed, and there is no key
 */
export async function appendAudit(
  tx: Transaction,
  entry: AuditEntry,
  { sign, records = {} }: { readonly sign?: Sign | undefined; readonly records?: RecordHashes } = {},
): Promise<number> {
  const head = await lockHead(tx);
  if (sign === undefined && head.signed_from !== null)
    throw new UnsignedEntry(`the audit log is signed from entry ${head.signed_from} on, and DATA_KEY is not set`);
  const details = detailsOf(entry);
  const content: Content = {
    ...factsOf(entry),
    details: details === undefined ? null : JSON.stringify(details),
    records: textOfHashes(records),
  };
  const row = { sequence: head.sequence + 1, ...content, ...signed(content, sign, head) };
  const hash = hashOf(head.hash, row);
  await insertEntry(tx, { ...row, hash });
  await moveHead(tx, row.sequence, hash);
  return row.sequence;
}

/** The members of an entry that stand in columns of their own. */
function factsOf({ at, companyId, actor, action, subject }: AuditEntry) {
  return {
    at,
    company_id: companyId ?? null,
    actor_kind: actor.kind,
    actor_id: actor.id ?? null,
    // The reader of the log looks up a person's name: entries stay when the person is erased.
    actor_name: actor.kind === 'person' ? null : (actor.name ?? null),
    action,
    subject: subject ?? null,
  };
}

function detailsOf({ actor, details }: AuditEntry): Readonly<Record<string, unknown>> | undefined {
  return actor.kind === 'personal_link' ? { ...details, extension: actor.extensionId } : details;
}

function textOfHashes(hashes: RecordHashes): string | null {
  return Object.keys(hashes).length === 0 ? null : JSON.stringify(hashes);
}

function signed(
  content: Content,
  sign: Sign | undefined,
  anchor: LogHead,
): { readonly anchor: number | null; readonly signature: string | null } {
  return sign === undefined
    ? { anchor: null, signature: null }
    : { anchor: anchor.sequence, signature: sign(signedText(content, anchor)) };
}

/** What a signature covers: the content of the entry and the hash of its anchor. The entry's number is not known yet. */
export function signedText(content: Content, anchor: LogHead): string {
  return JSON.stringify(['clockproof audit entry 1', anchor.sequence, anchor.hash, ...valuesOf(content)]);
}

/** With what a batch appends to the log. */
export interface Sealing {
  /** Absent without DATA_KEY. */
  readonly sign: Sign | undefined;
  /** The head as it was read before. */
  readonly anchor: LogHead;
}

/**
 * Locks the log's head. It is the last lock of a batch: all other waits happen before it. The batch writes nothing where
 * the anchor is out of reach by now, or the log is signed and the batch is not.
 */
export function auditLock({ sign, anchor }: Sealing): Lock {
  return {
    name: 'log',
    table: 'audit_head',
    ...(sign === undefined
      ? { where: 'one = 1 AND signed_from IS NULL', parameters: {} }
      : { where: 'one = 1 AND sequence < :log_reach', parameters: { log_reach: anchor.sequence + anchorReach } }),
    read: ['sequence', 'hash'],
    exact: {
      key: { one: 1 },
      was: { sequence: anchor.sequence, hash: anchor.hash, ...(sign === undefined ? { signed_from: null } : {}) },
      moving: true,
    },
  };
}

/**
 * Appends one entry as steps of a batch: the database numbers it and chains its hash, without a round trip in between.
 * `details` and rows of records may name columns of earlier steps (`columnOf`) where the batch runs in this process.
 */
export function auditSteps(entry: AuditEntry, sealing: Sealing, records: readonly StoredRecord[]): Step[] {
  const facts = factsOf(entry);
  const details = detailsOf(entry);
  const pieces = details === undefined ? [] : jsonPieces(details);
  const late =
    pieces.some((piece) => typeof piece !== 'string') ||
    records.some(({ row }) => Object.values(row).some((value) => value instanceof Reference));
  const finish = (results: Results) => {
    const hashes: Record<string, string> = {};
    for (const { table, row, salt } of records) {
      const stored = Object.fromEntries(
        Object.entries(row).map(([column, value]) => [column, value instanceof Later ? value.value(results) : value]),
      );
      hashes[recordKey(table, stored)] = recordHash({ table, row: stored, salt });
    }
    const content: Content = {
      ...facts,
      details: details === undefined ? null : (textOf(pieces).value(results) as string),
      records: textOfHashes(hashes),
    };
    return { ...content, ...signed(content, sealing.sign, sealing.anchor) };
  };
  let finished: { readonly of: Results; readonly row: ReturnType<typeof finish> } | undefined;
  const finishedFor = (results: Results) => {
    if (finished === undefined || (late && finished.of !== results)) finished = { of: results, row: finish(results) };
    return finished.row;
  };
  const cell = (column: 'details' | 'records' | 'signature') =>
    late ? new Later(refuseLate, (results) => finishedFor(results)[column]) : finishedFor({})[column];
  const steps: Step[] = [
    {
      name: 'entry_audited',
      insert: 'audit_entries',
      row: {
        sequence: oneMoreThan('log', 'sequence'),
        ...facts,
        details: cell('details'),
        records: cell('records'),
        anchor: sealing.sign === undefined ? null : sealing.anchor.sequence,
        signature: cell('signature'),
        hash: chainedHash(late, finishedFor),
      },
      returning: ['sequence', 'hash'],
    },
    {
      name: 'log_moved',
      update: 'audit_head',
      set: { sequence: columnOf('entry_audited', 'sequence'), hash: columnOf('entry_audited', 'hash') },
      where: { one: 1 },
    },
  ];
  partiesOf({ ...facts, details: details === undefined ? null : JSON.stringify(details) }).forEach((party, index) => {
    steps.push({
      name: `party_${index}`,
      insert: 'audit_parties',
      row: { party, sequence: columnOf('entry_audited', 'sequence') },
    });
  });
  return steps;
}

/** The database would have to hash and sign what only it knows: the caller must ask it for the number first. */
function refuseLate(): string {
  throw new TypeError('an audit entry in a batch of this database names values that only the write itself knows');
}

/** PostgreSQL chains the hash itself: all it adds to the text is the number and the hash before. */
function chainedHash(late: boolean, finishedFor: (results: Results) => Omit<EntryRow, 'sequence' | 'hash'>): Later {
  return new Later(
    (write) => {
      if (late) return refuseLate();
      const rest = JSON.stringify(canonicalValues({ sequence: 0, ...finishedFor({}) }).slice(1)).slice(1);
      const sequence = oneMoreThan('log', 'sequence').expression(write);
      return `encode(sha256(decode(${write.column('log', 'hash')}, 'hex') || convert_to('[' || ${sequence}::text || ',' || ${write.parameter(rest)}::text, 'UTF8')), 'hex')`;
    },
    (results) => {
      const { sequence, hash } = results['log'] as unknown as LogHead;
      return hashOf(hash, { sequence: sequence + 1, ...finishedFor(results) });
    },
  );
}

export const zeroHash = '0'.repeat(64);

function valuesOf(content: Content): unknown[] {
  const { at, company_id, actor_kind, actor_id, actor_name, action, subject, details, records } = content;
  return [at, company_id, actor_kind, actor_id, actor_name, action, subject, details, records];
}

/** Entries of earlier versions, and those without records and signature, end with their details. */
function canonicalValues(row: Omit<EntryRow, 'hash'>): unknown[] {
  const values = [row.sequence, ...valuesOf(row)];
  return row.records === null && row.anchor === null && row.signature === null
    ? values.slice(0, -1)
    : [...values, row.anchor, row.signature];
}

/** The text of an entry that its hash covers. */
export function canonicalOf(row: Omit<EntryRow, 'hash'>): string {
  return JSON.stringify(canonicalValues(row));
}

export function hashOf(previous: string, row: Omit<EntryRow, 'hash'>): string {
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(canonicalOf(row)).digest('hex');
}
