/**
 * The audit log: actors, actions and means, append-only. An entry is written in the transaction of its effect, so that
 * neither exists without the other. It identifies people by id and contains no secret, PIN or card number.
 *
 * An entry carries the hashes of the records it caused (`records.ts`) and a code over its number and content: with
 * DATA_KEY HMAC-SHA-256, without it SHA-256. So a changed, moved, copied or added entry does not fit. The key never
 * reaches the database. The signed heads of the log show that none is removed or comes late (`store/seal.ts`).
 */
import { createHash } from 'node:crypto';
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { CompanyId, ExtensionId } from '../ids.js';
import { familyOf } from './actions.js';
import type { Described } from './details.js';
import type { RecordHashes } from './records.js';
import { type EntryRow, sendEntry } from './rows.js';

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

export type AuditEntry = EntryFacts & Described;

export interface EntryFacts {
  readonly at: Instant;
  /** The company concerned; absent for the whole installation. */
  readonly companyId?: CompanyId | undefined;
  readonly actor: Actor;
  /** The subject of the action: `person 12`, `terminal trm_…`. */
  readonly subject?: string | undefined;
}

/** The keyed hash of a text, 64 hex digits, with a key derived from DATA_KEY. */
export type Sign = (text: string) => string;

export type EntryContent = Omit<EntryRow, 'mac' | 'family'>;

/** Adds one entry, the last thing before COMMIT. @param records hashes of the records that the transaction stored */
export function appendAudit(
  tx: Pick<Transaction, 'dialect' | 'send'>,
  sequence: number,
  entry: AuditEntry,
  { sign, records }: { readonly sign: Sign | undefined; readonly records: RecordHashes },
): void {
  const details = detailsOf(entry);
  const content: EntryContent = {
    sequence,
    ...factsOf(entry),
    details: details === undefined ? null : JSON.stringify(details),
    records: Object.keys(records).length === 0 ? null : JSON.stringify(records),
  };
  sendEntry(tx, { ...content, family: familyOf(content.action), mac: macOf(content, sign) });
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

function detailsOf({ actor, details }: AuditEntry): object | undefined {
  return actor.kind === 'personal_link' ? { ...details, extension: actor.extensionId } : details;
}

/** The code over an entry: `hmac-sha256:` or, without a key, `sha256:`, and 64 hex digits. */
export function macOf(content: EntryContent, sign: Sign | undefined): string {
  const text = canonicalOf(content);
  return sign === undefined ? `sha256:${createHash('sha256').update(text).digest('hex')}` : `hmac-sha256:${sign(text)}`;
}

export function isKeyed({ mac }: Pick<EntryRow, 'mac'>): boolean {
  return mac.startsWith('hmac-sha256:');
}

/** The text of an entry that its code covers. */
export function canonicalOf(row: EntryContent): string {
  const { sequence, at, company_id, actor_kind, actor_id, actor_name, action, subject, details, records } = row;
  return JSON.stringify([
    'clockproof audit entry 1',
    ...[sequence, at, company_id, actor_kind, actor_id, actor_name, action, subject, details, records],
  ]);
}
