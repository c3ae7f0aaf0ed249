/** Extensions: one API key, its scopes and exactly one connection mode each. */
import type { Transaction } from '@clockproof/platform/database/database';
import { formatInstant, hour, type Instant } from '@clockproof/platform/time/instant';
import { type Actor, appendAudit } from '../audit/audit.js';
import type { Scope } from '../generated/contract.js';
import { auditedSettings } from './audited-settings.js';
import { base62, issueKey, type RandomBytes } from './keys.js';
import {
  type ExtensionRow,
  endKeyAt,
  endOfKey,
  insertExtension,
  liveKeys,
  type PeopleAccess,
  savePeopleAccess,
} from './rows.js';

export interface NewExtension {
  readonly name: string;
  readonly companyId?: number;
  readonly mode: ExtensionRow['mode'];
  readonly acting: ExtensionRow['acting'];
  readonly scopes: readonly Scope[];
  readonly leading?: boolean;
  readonly linkable?: boolean;
  readonly redirectUris?: readonly string[];
  readonly linkDays?: number;
  readonly webhookUrl?: string;
  readonly description?: string;
  /** When its key ends. */
  readonly keyExpiresAt?: Instant;
}

export interface AddedExtension {
  readonly id: string;
  readonly clientId: string;
  readonly key: string;
}

/** In mode `webhooks` it also needs a secret: `issueSecret` in webhooks/secrets. */
export async function addExtension(
  tx: Transaction,
  extension: NewExtension,
  actor: Actor,
  at: Instant,
  randomBytes: RandomBytes,
): Promise<AddedExtension> {
  const id = `ext_${base62(16, randomBytes)}`;
  const clientId = `cli_${base62(20, randomBytes)}`;
  const row: ExtensionRow = {
    id,
    name: extension.name,
    company_id: extension.companyId ?? null,
    mode: extension.mode,
    acting: extension.acting,
    scopes: JSON.stringify(extension.scopes),
    is_leading: extension.leading === true ? 1 : 0,
    linkable: extension.linkable === true ? 1 : 0,
    redirect_uris: JSON.stringify(extension.redirectUris ?? []),
    link_days: extension.linkDays ?? 90,
    client_id: clientId,
    webhook_url: extension.webhookUrl ?? null,
    created_at: at,
    updated_at: at,
    description: extension.description ?? null,
  };
  await insertExtension(tx, row);
  const key = await issueKey(tx, id, at, randomBytes, extension.keyExpiresAt ?? null);
  await appendAudit(tx, {
    at,
    companyId: extension.companyId,
    actor,
    action: 'extension.added',
    subject: `extension ${id}`,
    details: {
      ...auditedSettings(row),
      ...(extension.keyExpiresAt === undefined ? {} : { key_expires_at: formatInstant(extension.keyExpiresAt) }),
    },
  });
  return { id, clientId, key };
}

/**
 * Opens doors of Access for people, for a new installation. Closing them ends links and takes scopes away as well:
 * `turnAccess` in oauth/links.
 */
export async function switchPeopleAccess(
  tx: Transaction,
  access: PeopleAccess,
  actor: Actor,
  at: Instant,
): Promise<void> {
  await savePeopleAccess(tx, access);
  await appendAudit(tx, { at, actor, action: 'people_access.switched', details: { ...access } });
}

/**
 * A new key beside the present one, which works on for `overlap` milliseconds; one that an earlier rotation left ends
 * now. @returns the key, for the only time, and when the one before ends
 */
export async function rotateKey(
  tx: Transaction,
  extension: ExtensionRow,
  { overlap, expiresAt }: { overlap: number; expiresAt: Instant | null },
  actor: Actor,
  randomBytes: RandomBytes,
  at: Instant,
): Promise<{ readonly key: string; readonly previousEndsAt: Instant }> {
  const [present, ...older] = await liveKeys(tx, extension.id, at);
  for (const key of older) await endKeyAt(tx, key.id, at);
  if (present !== undefined) await endKeyAt(tx, present.id, at + overlap);
  const key = await issueKey(tx, extension.id, at, randomBytes, expiresAt);
  await appendAudit(tx, {
    at,
    companyId: extension.company_id ?? undefined,
    actor,
    action: 'extension.key_rotated',
    subject: `extension ${extension.id}`,
    details: { overlap_hours: overlap / hour },
  });
  // A key that would have ended sooner anyway still does.
  return { key, previousEndsAt: Math.min(at + overlap, (present && endOfKey(present)) ?? Infinity) };
}

/** Ends every key but the newest. */
export async function endPreviousKeys(
  tx: Transaction,
  extension: ExtensionRow,
  actor: Actor,
  at: Instant,
): Promise<number> {
  const [, ...older] = await liveKeys(tx, extension.id, at);
  for (const key of older) await endKeyAt(tx, key.id, at);
  await appendAudit(tx, {
    at,
    companyId: extension.company_id ?? undefined,
    actor,
    action: 'extension.previous_key_ended',
    subject: `extension ${extension.id}`,
  });
  return older.length;
}
