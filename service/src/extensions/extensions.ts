/** Extensions: one API key, its scopes and exactly one connection mode each. */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { appendAudit, type Actor } from '../audit/audit.js';
import type { Scope } from '../generated/contract.js';
import { base62, issueKey, type RandomBytes } from './keys.js';
import { insertExtension, savePeopleAccess, type ExtensionRow, type PeopleAccess } from './rows.js';

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
}

export interface AddedExtension { readonly id: string; readonly clientId: string; readonly key: string; readonly webhookSecret: string | null }

export async function addExtension(tx: Transaction, extension: NewExtension, actor: Actor, at: Instant, randomBytes: RandomBytes): Promise<AddedExtension> {
  const id = `ext_${base62(16, randomBytes)}`;
  const clientId = `cli_${base62(20, randomBytes)}`;
  // Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64.
  const webhookSecret = extension.mode === 'webhooks' ? `whsec_${Buffer.from(randomBytes(32)).toString('base64')}` : null;
  await insertExtension(tx, {
    id, name: extension.name, company_id: extension.companyId ?? null, mode: extension.mode, acting: extension.acting, scopes: JSON.stringify(extension.scopes),
    is_leading: extension.leading === true ? 1 : 0, linkable: extension.linkable === true ? 1 : 0, redirect_uris: JSON.stringify(extension.redirectUris ?? []),
    link_days: extension.linkDays ?? 90, client_id: clientId, webhook_url: extension.webhookUrl ?? null, webhook_secret: webhookSecret, created_at: at, updated_at: at,
  });
  const key = await issueKey(tx, id, at, randomBytes);
  await appendAudit(tx, { at, companyId: extension.companyId, actor, action: 'extension.added', subject: `extension ${id}`, details: { scopes: extension.scopes, mode: extension.mode, acting: extension.acting } });
  return { id, clientId, key, webhookSecret };
}

/** Access for people: which doors are open at all. */
export async function switchPeopleAccess(tx: Transaction, access: PeopleAccess, actor: Actor, at: Instant): Promise<void> {
  await savePeopleAccess(tx, access);
  await appendAudit(tx, { at, actor, action: 'people_access.switched', details: { ...access } });
}
