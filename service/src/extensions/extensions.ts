/** Extensions: one API key, its scopes and exactly one connection mode each. */

import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';
import { formatInstant, hour, type Instant } from '@clockproof/platform/time/instant';
import type { EventType, Scope } from '../generated/contract.js';
import type { CompanyId } from '../store/ids.js';
import type { Write } from '../store/write.js';
import { auditedSettings } from './audited-settings.js';
import { issueKey } from './keys.js';
import { type ExtensionRow, endKeyAt, endOfKey, insertExtension, liveKeys } from './rows.js';
import { eventTypesText } from './settings.js';

export interface NewExtension {
  readonly name: string;
  readonly companyId?: CompanyId | undefined;
  readonly mode: ExtensionRow['mode'];
  readonly acting: ExtensionRow['acting'];
  readonly scopes: readonly Scope[];
  readonly leading?: boolean;
  readonly linkable?: boolean;
  readonly redirectUris?: readonly string[];
  readonly linkDays?: number;
  /** The reading rights of its own key. */
  readonly keyReads?: ExtensionRow['key_reads'] | undefined;
  /** Absent: every type. */
  readonly eventTypes?: readonly EventType[] | undefined;
  readonly webhookUrl?: string | undefined;
  readonly description?: string | undefined;
  /** The end of its key. */
  readonly keyExpiresAt?: Instant | undefined;
}

export interface AddedExtension {
  readonly id: string;
  readonly clientId: string;
  readonly key: string;
}

/**
 * The extension and its first key. Settings are checked, and a webhook secret issued, by `addExtension` in
 * integrations.
 */
export async function recordExtension(
  write: Write,
  extension: NewExtension,
  randomBytes: RandomBytes,
): Promise<AddedExtension> {
  const { at } = write;
  const id = `ext_${base62(16, randomBytes)}`;
  const clientId = `cli_${base62(20, randomBytes)}`;
  const row = rowOf(extension, { id, clientId, at });
  await insertExtension(write, row);
  const key = await issueKey(write, id, at, randomBytes, extension.keyExpiresAt ?? null);
  await write.audit({
    companyId: extension.companyId,
    action: 'extension.added',
    subject: `extension ${id}`,
    details: {
      ...auditedSettings(row),
      key_expires_at: formatInstant(extension.keyExpiresAt),
    },
  });
  return { id, clientId, key };
}

/** The row of a new extension: omitted settings are off or have the contract's default. */
export function rowOf(
  extension: NewExtension,
  { id, clientId, at }: { readonly id: string; readonly clientId: string; readonly at: Instant },
): ExtensionRow {
  return {
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
    key_reads: extension.keyReads ?? (extension.linkable === true ? 'linked_people' : 'everyone'),
    event_types: eventTypesText(extension.eventTypes),
    client_id: clientId,
    webhook_url: extension.webhookUrl ?? null,
    created_at: at,
    updated_at: at,
    description: extension.description ?? null,
  };
}

/**
 * Adds a new key; the current one keeps working for `overlap` milliseconds, and one left by an earlier rotation ends
 * now. @returns the key, shown only here, and when the previous one ends
 */
export async function rotateKey(
  write: Write,
  extension: ExtensionRow,
  { overlap, expiresAt }: { overlap: number; expiresAt: Instant | null },
  randomBytes: RandomBytes,
): Promise<{ readonly key: string; readonly previousEndsAt: Instant }> {
  const { at } = write;
  const [currentKey, ...olderKeys] = await liveKeys(write, extension.id, at);
  for (const key of olderKeys) await endKeyAt(write, key.id, at);
  if (currentKey !== undefined) await endKeyAt(write, currentKey.id, at + overlap);
  const key = await issueKey(write, extension.id, at, randomBytes, expiresAt);
  await write.audit({
    companyId: extension.company_id ?? undefined,
    action: 'extension.key_rotated',
    subject: `extension ${extension.id}`,
    details: { overlap_hours: overlap / hour },
  });
  // A key that expires sooner still does.
  return { key, previousEndsAt: Math.min(at + overlap, (currentKey && endOfKey(currentKey)) ?? Infinity) };
}

/** Ends every key but the newest. */
export async function endPreviousKeys(write: Write, extension: ExtensionRow): Promise<number> {
  const { at } = write;
  const [, ...olderKeys] = await liveKeys(write, extension.id, at);
  for (const key of olderKeys) await endKeyAt(write, key.id, at);
  await write.audit({
    companyId: extension.company_id ?? undefined,
    action: 'extension.previous_key_ended',
    subject: `extension ${extension.id}`,
  });
  return olderKeys.length;
}
