/**
 * API keys: `cpk_` + 12 characters that find the row + 32 random characters (190 bits) + a CRC-32 in 6 characters, all
 * base62. The checksum lets a scanner tell a leaked key from noise and the service refuse a typing error without a
 * look-up. Only SHA-256 of the key is stored; shown once.
 */

import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, type RandomBytes, toBase62 } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import type { LimitDecision, RateLimiter } from '@clockproof/platform/http/rate-limit';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { Scope } from '../generated/contract.js';
import type { ExtensionCaller } from '../people/caller.js';
import { allCompanies } from '../store/every-company.js';
import type { ExtensionId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { TenantScope } from '../store/scope.js';
import type { Transaction } from '../store/tables.js';
import {
  countedKeyLookup,
  type ExtensionRow,
  endOfKey,
  findKey,
  findKeyById,
  insertKey,
  type KeyRow,
  keepKey,
} from './rows.js';

const form = /^cpk_([0-9A-Za-z]{12})[0-9A-Za-z]{32}([0-9A-Za-z]{6})$/;

export function createKeyText(randomBytes: RandomBytes): string {
  const body = `cpk_${base62(44, randomBytes)}`;
  return body + checksum(body);
}

/** A new key for an extension. @returns the key's text, available only here. */
export async function issueKey(
  tx: Transaction,
  extensionId: ExtensionId,
  at: Instant,
  randomBytes: RandomBytes,
  expiresAt: Instant | null = null,
): Promise<string> {
  const text = createKeyText(randomBytes);
  const lookup = form.exec(text)![1]!;
  await insertKey(tx, {
    id: `key_${base62(16, randomBytes)}`,
    extension_id: extensionId,
    lookup,
    hash: hashOf(text),
    created_at: at,
    expires_at: expiresAt,
  });
  return text;
}

const dummyHash = Buffer.alloc(32);

/**
 * The holder of this key.
 * @throws Refusal `unauthorized` unknown or damaged, `token_expired`, `token_revoked`
 */
export async function authenticateKey(reader: Reader, text: string, at: Instant): Promise<ExtensionCaller> {
  const { lookup, hash } = readKey(text);
  return validate(await findKey(reader, lookup), hash, at);
}

/**
 * The holder of a key now, during a request that lasts, and when the key ends (null: it does not).
 * @throws Refusal `unauthorized`, `token_expired`, `token_revoked`, `company_inactive`
 */
export async function holderOfKey(
  reader: Reader,
  { keyId }: Pick<ExtensionCaller, 'keyId'>,
  at: Instant,
): Promise<{ readonly caller: ExtensionCaller; readonly endsAt: Instant | null }> {
  const row = await findKeyById(reader, keyId);
  if (row === undefined) throw new Refusal('unauthorized');
  refuseEnded(row, at);
  const caller = callerOf(row, at);
  if (!caller.companyActive) throw new Refusal('company_inactive');
  return { caller, endsAt: endOfKey(row) };
}

/**
 * Asks again in the transaction of a write.
 * @param at of the request
 * @returns the holder as it is until the transaction ends
 * @throws Refusal `unauthorized`, `token_expired`, `token_revoked`
 */
export async function keepHolder(
  tx: Reader,
  { keyId, scope }: Pick<ExtensionCaller, 'keyId'> & Partial<Pick<ExtensionCaller, 'scope'>>,
  { at, now }: { readonly at: Instant; readonly now: Instant },
): Promise<ExtensionCaller> {
  const row = await keepKey(tx, keyId, scope?.company);
  if (row === undefined) throw new Refusal('unauthorized');
  refuseEnded(row, now);
  return callerOf(row, at);
}

/** The holder of a key, with the limit's decision if the look-up also counted the request. */
export interface CountedKey {
  readonly caller: ExtensionCaller;
  readonly limitDecision?: LimitDecision;
}

/**
 * Authenticates keys and counts their requests, in one round trip if the database counts the limits.
 * @returns a function that throws as {@link authenticateKey} does; without `counted`, the caller counts the request
 */
export function createKeyAuthentication(
  reader: Reader,
  limiter: RateLimiter,
  limit: number,
): (text: string, at: Instant) => Promise<CountedKey> {
  const findCounted = limiter.prepareLookup?.<KeyRow>(countedKeyLookup);
  if (findCounted === undefined) {
    return async (text, at) => ({ caller: await authenticateKey(reader, text, at) });
  }
  return async (text, at) => {
    const { lookup, hash } = readKey(text);
    const { row, decision } = await findCounted({ lookup, hash }, limit, at);
    const caller = validate(row, hash, at);
    return decision === undefined ? { caller } : { caller, limitDecision: decision };
  };
}

/** @throws Refusal `unauthorized`: malformed, or mistyped */
function readKey(text: string): { readonly lookup: string; readonly hash: string } {
  const parts = form.exec(text);
  if (parts === null || checksum(text.slice(0, -6)) !== parts[2]) throw new Refusal('unauthorized');
  return { lookup: parts[1]!, hash: hashOf(text) };
}

function validate(row: KeyRow | undefined, hash: string, at: Instant): ExtensionCaller {
  // Always compared, so that a known look-up part takes the same time as an unknown one.
  const isMatch = timingSafeEqual(
    Buffer.from(hash, 'hex'),
    row === undefined ? dummyHash : Buffer.from(row.hash, 'hex'),
  );
  if (row === undefined || !isMatch) throw new Refusal('unauthorized');
  refuseEnded(row, at);
  return callerOf(row, at);
}

function refuseEnded({ revoked_at: revokedAt, expires_at: expiresAt }: KeyRow, at: Instant): void {
  if (revokedAt !== null && revokedAt <= at) throw new Refusal('token_revoked');
  if (expiresAt !== null && expiresAt <= at) throw new Refusal('token_expired');
}

function callerOf(row: KeyRow, at: Instant): ExtensionCaller {
  return {
    kind: 'key',
    keyId: row.id,
    extensionId: row.extension_id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as Scope[],
    scope: scopeOfKey(row, row.extension_id, at),
    companyActive: row.company_active === 1,
    actsForEveryone: row.acting === 'everyone',
    leading: row.is_leading === 1,
    peopleWrites: row.people_writes === 1,
  };
}

/**
 * The reading scope of an extension's key: its company or all active ones, and in them everyone, linked people or no
 * one.
 */
export function scopeOfKey(
  extension: Pick<ExtensionRow, 'company_id' | 'key_reads'>,
  extensionId: ExtensionId,
  at: Instant,
): TenantScope {
  const { company_id: companyId, key_reads: keyReads } = extension;
  const companies = companyId === null ? ({ ...allCompanies, activeOnly: true } as const) : { company: companyId };
  if (keyReads === 'everyone') return companies;
  return keyReads === 'nothing'
    ? { ...companies, none: true }
    : { ...companies, linkedTo: { extension: extensionId, at, grantedScopes: [] } };
}

/** Records when a key (or link) was last used, to the minute: at most one write per minute for each. */
export function createUseNotes<Id extends string>(
  write: (effect: (tx: Transaction) => Promise<void>) => Promise<void>,
  note: (tx: Transaction, id: Id, at: Instant) => Promise<void>,
): (id: Id, at: Instant) => void {
  const lastNotes = new Map<Id, Instant>();
  return (id, at) => {
    if (at - (lastNotes.get(id) ?? 0) < minute) return;
    lastNotes.set(id, at);
    // A lost write does not matter; the next minute writes again.
    write((tx) => note(tx, id, at)).catch(() => undefined);
  };
}

function hashOf(text: string): string {
  return hash('sha256', text);
}

function checksum(body: string): string {
  return toBase62(crc32(body), 6);
}
