/** An extension with everything that hangs on it: settings, keys, webhook secret, links. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { changedSettings } from '../../extensions/audited-settings.js';
import {
  type AddedExtension,
  endPreviousKeys,
  type NewExtension,
  recordExtension,
  rotateKey,
  rowOf,
} from '../../extensions/extensions.js';
import {
  type ExtensionRow,
  findExtension,
  isNameTaken,
  lockExtension,
  markExtensionDeleted,
  updateExtensionRow,
} from '../../extensions/rows.js';
import { eventTypesText, refuseSettings } from '../../extensions/settings.js';
import { giveUpPending } from '../../extensions/webhooks/delivery-rows.js';
import { keepEndpoint } from '../../extensions/webhooks/endpoints.js';
import { deleteSecrets } from '../../extensions/webhooks/rows.js';
import { ensureSecret, issueSecret, type RotatedSecret, rotateSecret } from '../../extensions/webhooks/secrets.js';
import { parseTarget } from '../../extensions/webhooks/targets.js';
import type { EventType, Scope } from '../../generated/contract.js';
import { findCompany } from '../../people/rows.js';
import type { CompanyId } from '../../store/ids.js';
import { invalidField, Refusal } from '../../store/refusal.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Transaction } from '../../store/tables.js';
import type { Write } from '../../store/write.js';
import { endLinks } from '../oauth/links.js';
import { isRedirectAllowed } from '../oauth/redirect.js';
import { lockPeopleAccess, voidConsents } from '../oauth/rows.js';

export interface IntegrationNeeds {
  readonly sealingKeys: SealingKeys;
  readonly randomBytes: RandomBytes;
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS */
  readonly allowPrivateTargets: boolean;
}

/** A new extension. Both secrets are shown once. */
export interface NewIntegration extends AddedExtension {
  /** In mode `webhooks`: the secret that signs deliveries. */
  readonly webhookSecret: string | undefined;
}

/**
 * @throws Refusal `value_taken`, `invalid_request`, `extension_incomplete`, `redirect_uri_refused`, `target_refused`,
 * `feature_disabled`
 */
export async function addExtension(
  write: Write,
  { sealingKeys, randomBytes, allowPrivateTargets }: IntegrationNeeds,
  extension: NewExtension,
): Promise<NewIntegration> {
  const { at } = write;
  const newExtension = { ...extension, scopes: [...new Set(extension.scopes)] };
  const access = await lockPeopleAccess(write);
  await refuseTakenName(write, newExtension.name, '');
  await refuseUnknownCompany(write, newExtension.companyId ?? null);
  refuseSettings(rowOf(newExtension, { id: '', clientId: '', at }), {
    peopleWrites: access.people_writes === 1,
    isRedirectAllowed,
    isTargetAllowed: (address) => parseTarget(address, allowPrivateTargets) !== undefined,
  });
  const addedExtension = await recordExtension(write, newExtension, randomBytes);
  const webhookSecret =
    newExtension.mode === 'webhooks'
      ? await issueSecret(write, addedExtension.id, sealingKeys, randomBytes, at)
      : undefined;
  await keepEndpoint(write, undefined, (await findExtension(write, addedExtension.id))!);
  return { ...addedExtension, webhookSecret };
}

/** Settings to change: omitted members stay, null removes one. */
export interface ExtensionChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly companyId?: CompanyId | null | undefined;
  readonly mode?: ExtensionRow['mode'] | undefined;
  readonly acting?: ExtensionRow['acting'] | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly leading?: boolean | undefined;
  readonly linkable?: boolean | undefined;
  readonly redirectUris?: readonly string[] | undefined;
  readonly linkDays?: number | undefined;
  readonly keyReads?: ExtensionRow['key_reads'] | undefined;
  readonly eventTypes?: readonly EventType[] | null | undefined;
  readonly webhookUrl?: string | null | undefined;
}

/**
 * Changes the settings. Links and consents that the new settings do not allow end permanently: restoring the settings
 * revives none. A webhook secret exists only in mode `webhooks`.
 * @throws Refusal `not_found`; otherwise as {@link addExtension}
 */
export async function changeExtension(
  write: Write,
  { sealingKeys, randomBytes, allowPrivateTargets }: IntegrationNeeds,
  id: string,
  change: ExtensionChange,
): Promise<ExtensionRow> {
  const { at } = write;
  const access = await lockPeopleAccess(write);
  const before = await lockedExtension(write, id);
  const after = { ...merge(before, change), updated_at: at };
  if (after.name !== before.name) await refuseTakenName(write, after.name, id);
  await refuseUnknownCompany(write, after.company_id);
  refuseSettings(after, {
    peopleWrites: access.people_writes === 1,
    isRedirectAllowed,
    isTargetAllowed: (address) => parseTarget(address, allowPrivateTargets) !== undefined,
  });
  const changes = changedSettings(before, after);
  if (changes.length === 0) {
    write.unaudited('repeated');
    return before;
  }
  await updateExtensionRow(write, after);
  // A new secret is shown by a rotation.
  await ensureSecret(write, after, sealingKeys, randomBytes, at);
  await keepEndpoint(write, before, after);
  await endDisallowedLinks(write, before, after);
  await write.audit({
    companyId: after.company_id ?? undefined,
    action: 'extension.changed',
    subject: `extension ${id}`,
    details: { changes },
  });
  return (await findExtension(write, id))!;
}

/**
 * Its keys, links and webhook secret end with it. If the process stops before the commit, the extension keeps working;
 * after it, nothing of it is accepted. @throws Refusal `not_found`
 */
export async function removeExtension(write: Write, id: string): Promise<void> {
  const { at } = write;
  // The lock that opening a link takes: no link outlives its extension.
  await lockPeopleAccess(write);
  const extension = await lockedExtension(write, id);
  await markExtensionDeleted(write, id, at);
  await deleteSecrets(write, id);
  await giveUpPending(write, id);
  await voidConsents(write, { extensionId: id }, at);
  await endLinks(write, { extensionId: id }, 'extension_deleted');
  await write.audit({
    companyId: extension.company_id ?? undefined,
    action: 'extension.deleted',
    subject: `extension ${id}`,
    details: { name: extension.name },
  });
}

/**
 * A new key; the current one works for `overlap` more milliseconds.
 * @returns the key, available only here, and when the previous one ends
 * @throws Refusal `not_found`
 */
export async function replaceKey(
  write: Write,
  id: string,
  validity: { readonly overlap: number; readonly expiresAt: Instant | null },
  randomBytes: RandomBytes,
): Promise<{ readonly key: string; readonly previousEndsAt: Instant }> {
  return rotateKey(write, await lockedExtension(write, id), validity, randomBytes);
}

/** Ends the key that a rotation left working. @throws Refusal `not_found` */
export async function expirePreviousKey(write: Write, id: string): Promise<void> {
  await endPreviousKeys(write, await lockedExtension(write, id));
}

/** @returns the secret, available only here @throws Refusal `not_found`, `connection_mode_mismatch` */
export async function replaceWebhookSecret(
  write: Write,
  { sealingKeys, randomBytes }: Omit<IntegrationNeeds, 'allowPrivateTargets'>,
  id: string,
): Promise<RotatedSecret> {
  const extension = await lockedExtension(write, id);
  if (extension.mode !== 'webhooks') throw new Refusal('connection_mode_mismatch');
  return rotateSecret(write, extension, sealingKeys, randomBytes);
}

async function lockedExtension(tx: Transaction, id: string): Promise<ExtensionRow> {
  const extension = await lockExtension(tx, id);
  if (extension === undefined) throw new Refusal('not_found');
  return extension;
}

async function refuseTakenName(tx: Transaction, name: string, exceptId: string): Promise<void> {
  if (await isNameTaken(tx, name, exceptId))
    throw new Refusal('value_taken', {
      details: [{ field: 'name', code: 'taken', error: 'Another extension has this name.' }],
    });
}

async function refuseUnknownCompany(tx: Transaction, companyId: CompanyId | null): Promise<void> {
  if (companyId !== null && (await findCompany(tx, companyId)) === undefined)
    throw invalidField('company_id', 'unknown', 'There is no such company.');
}

async function endDisallowedLinks(write: Write, before: ExtensionRow, after: ExtensionRow): Promise<void> {
  const { at } = write;
  const [losesLinks, rebound] = [before.linkable === 1 && after.linkable === 0, before.company_id !== after.company_id];
  if (losesLinks || rebound) await voidConsents(write, { extensionId: after.id }, at);
  if (losesLinks) await endLinks(write, { extensionId: after.id }, 'linking_off');
  if (rebound && after.company_id !== null)
    await endLinks(write, { extensionId: after.id, outsideCompany: after.company_id }, 'extension_rebound');
}

function merge(row: ExtensionRow, change: ExtensionChange): ExtensionRow {
  const { name, mode = row.mode, acting = row.acting, linkDays = row.link_days } = change;
  const { description = row.description, companyId = row.company_id } = change;
  // An address goes with its mode.
  const { webhookUrl = mode === 'webhooks' ? row.webhook_url : null } = change;
  const bit = (flag: boolean | undefined, present: 0 | 1) => (flag === undefined ? present : flag ? 1 : 0);
  // From the day people link it, its key reads them alone, unless an admin decides otherwise.
  const becomesLinkable = row.linkable === 0 && change.linkable === true;
  return {
    ...row,
    name: name ?? row.name,
    description,
    company_id: companyId,
    mode,
    acting,
    scopes: change.scopes === undefined ? row.scopes : JSON.stringify([...new Set(change.scopes)]),
    is_leading: bit(change.leading, row.is_leading),
    linkable: bit(change.linkable, row.linkable),
    redirect_uris: change.redirectUris === undefined ? row.redirect_uris : JSON.stringify(change.redirectUris),
    link_days: linkDays,
    key_reads: change.keyReads ?? (becomesLinkable && row.key_reads === 'everyone' ? 'linked_people' : row.key_reads),
    event_types: change.eventTypes === undefined ? row.event_types : eventTypesText(change.eventTypes),
    webhook_url: webhookUrl,
  };
}

/** @throws Refusal `invalid_request` no instant, or over already */
export function readKeyEnd(text: string | undefined, at: Instant): Instant | null {
  if (text === undefined) return null;
  const end = parseInstant(text);
  if (end === undefined || end <= at)
    throw invalidField('expires_at', 'out_of_range', 'Write an RFC 3339 instant in the future.');
  return end;
}
