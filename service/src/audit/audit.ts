/**
 * The audit log: who did what, by which means, append-only and hash-chained. An entry is written in the transaction of
 * its effect, so that neither exists without the other. It identifies people by id and contains no secret, PIN or card
 * number.
 *
 * hash = SHA-256(previous hash ‖ canonical JSON of the entry), the first one over 32 zero bytes.
 */
import { createHash } from 'node:crypto';
import {
  columnOf,
  jsonPieces,
  Later,
  type Lock,
  oneMoreThan,
  type Step,
  type TextPiece,
  textOf,
} from '@clockproof/platform/database/batch';
import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { CompanyId, ExtensionId } from '../ids.js';
import type { AuditAction } from './actions.js';
import { areParties, partiesOf } from './parties.js';
import { type EntryRow, entriesAfter, insertEntry, lockHead, moveHead, partiesBetween, readHead } from './rows.js';

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

/** Appends one entry. It locks the log's head until the transaction ends, so call it late in a transaction. */
export async function appendAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  const head = await lockHead(tx);
  const details =
    entry.actor.kind === 'personal_link' ? { ...entry.details, extension: entry.actor.extensionId } : entry.details;
  const row = {
    sequence: head.sequence + 1,
    at: entry.at,
    company_id: entry.companyId ?? null,
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.id ?? null,
    // The reader of the log looks up a person's name: entries stay when the person is erased.
    actor_name: entry.actor.kind === 'person' ? null : (entry.actor.name ?? null),
    action: entry.action,
    subject: entry.subject ?? null,
    details: details === undefined ? null : JSON.stringify(details),
  };
  const hash = hashOf(head.hash, row);
  await insertEntry(tx, { ...row, hash });
  await moveHead(tx, row.sequence, hash);
}

/** Locks the log's head. It is the last lock of a batch: all other waits happen before it. */
export const auditLock: Lock = {
  name: 'log',
  table: 'audit_head',
  where: 'one = 1',
  parameters: {},
  read: ['sequence', 'hash'],
};

/**
 * Appends one entry as steps of a batch: the database numbers it and chains its hash, without a round trip in between.
 * `details` may name columns of earlier steps (`columnOf`).
 */
export function auditSteps(entry: AuditEntry): Step[] {
  const { actor } = entry;
  const details = actor.kind === 'personal_link' ? { ...entry.details, extension: actor.extensionId } : entry.details;
  const row = {
    at: entry.at,
    company_id: entry.companyId ?? null,
    actor_kind: actor.kind,
    actor_id: actor.id ?? null,
    actor_name: actor.kind === 'person' ? null : (actor.name ?? null),
    action: entry.action,
    subject: entry.subject ?? null,
  };
  const pieces = details === undefined ? undefined : jsonPieces(details);
  const sequence = oneMoreThan('log', 'sequence');
  const steps: Step[] = [
    {
      name: 'entry_audited',
      insert: 'audit_entries',
      row: {
        sequence,
        ...row,
        details: pieces === undefined ? null : textOf(pieces),
        hash: chainedHash(textOf(canonicalPieces(Object.values(row), pieces))),
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
  partiesOf({ ...row, details: details === undefined ? null : JSON.stringify(details) }).forEach((party, index) => {
    steps.push({
      name: `party_${index}`,
      insert: 'audit_parties',
      row: { party, sequence: columnOf('entry_audited', 'sequence') },
    });
  });
  return steps;
}

/** What {@link canonicalOf} gives, with the entry's number and the values inside its details still to come. */
function canonicalPieces(values: readonly unknown[], details: readonly TextPiece[] | undefined): TextPiece[] {
  const before: TextPiece[] = ['[', { of: oneMoreThan('log', 'sequence') }, `,${JSON.stringify(values).slice(1, -1)},`];
  if (details === undefined) return [...before, 'null]'];
  // The details are JSON text inside JSON text.
  const inside = details.map((piece) => (typeof piece === 'string' ? JSON.stringify(piece).slice(1, -1) : piece));
  return [...before, '"', ...inside, '"]'];
}

function chainedHash(canonical: Later): Later {
  return new Later(
    (write) =>
      `encode(sha256(decode(${write.column('log', 'hash')}, 'hex') || convert_to(${canonical.expression(write)}, 'UTF8')), 'hex')`,
    (results) => digest(results['log']!['hash'] as string, canonical.value(results) as string),
  );
}

export type Verification =
  | {
      readonly intact: true;
      readonly entries: number;
      readonly head: { readonly sequence: number; readonly hash: string };
    }
  | { readonly intact: false; readonly firstBad: number; readonly why: 'altered' | 'missing' | 'cut' };

/**
 * Walks the whole chain and names the first entry that was altered, or whose search index (`audit_parties`) is wrong.
 * @param knownHead a head (`hash` in hex) stored earlier outside this database: without it, removal of the newest
 * entries together with the head goes unnoticed
 */
export async function verifyAudit(
  reader: Reader,
  knownHead?: { readonly sequence: number; readonly hash: string },
): Promise<Verification> {
  // Read before the entries: this walk ignores entries appended meanwhile.
  const head = await readHead(reader);
  let previous = zeroHash;
  let sequence = 0;
  for (;;) {
    const rows = (await entriesAfter(reader, sequence, 1_000)).filter((row) => row.sequence <= head.sequence);
    const beside = new Map<number, string[]>(rows.map((row) => [row.sequence, []]));
    for (const { sequence: of, party } of rows.length === 0
      ? []
      : await partiesBetween(reader, rows[0]!.sequence, rows.at(-1)!.sequence))
      beside.get(of)?.push(party);
    for (const row of rows) {
      if (row.sequence !== sequence + 1) return { intact: false, firstBad: sequence + 1, why: 'missing' };
      if (hashOf(previous, row) !== row.hash) return { intact: false, firstBad: row.sequence, why: 'altered' };
      if (knownHead?.sequence === row.sequence && knownHead.hash !== row.hash)
        return { intact: false, firstBad: row.sequence, why: 'altered' };
      if (!areParties(beside.get(row.sequence)!, row)) return { intact: false, firstBad: row.sequence, why: 'altered' };
      previous = row.hash;
      sequence = row.sequence;
    }
    if (rows.length < 1_000) break;
  }
  if (
    head.sequence !== sequence ||
    head.hash !== previous ||
    (knownHead !== undefined && knownHead.sequence > sequence)
  )
    return { intact: false, firstBad: sequence + 1, why: 'cut' };
  return { intact: true, entries: sequence, head };
}

export const zeroHash = '0'.repeat(64);

/** The text of an entry that its hash covers. */
export function canonicalOf(row: Omit<EntryRow, 'hash'>): string {
  return JSON.stringify([
    row.sequence,
    row.at,
    row.company_id,
    row.actor_kind,
    row.actor_id,
    row.actor_name,
    row.action,
    row.subject,
    row.details,
  ]);
}

function hashOf(previous: string, row: Omit<EntryRow, 'hash'>): string {
  return digest(previous, canonicalOf(row));
}

function digest(previous: string, canonical: string): string {
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(canonical).digest('hex');
}
