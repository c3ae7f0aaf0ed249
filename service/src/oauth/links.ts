/** Personal links: their current permissions, and how they end. */
import type { Database, Reader, Transaction } from '@clockproof/platform/database/database';
import type { LimitDecision, RateLimiter } from '@clockproof/platform/http/rate-limit';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { type Actor, appendAudit } from '../audit/audit.js';
import { appendEvent, takeSequence } from '../events/events.js';
import { linkScopes, type Scope } from '../generated/contract.js';
import type { CompanyId, ExtensionId, LinkId, PersonId } from '../ids.js';
import { Refusal } from '../refusal.js';
import { hashOfSecret } from '../sign-in/secrets.js';
import {
  type AccessTokenRow,
  countedLinkLookup,
  endLinkRows,
  findAccessToken,
  findStanding,
  hasExpiredLinks,
  type LinkFilter,
  type LinkStanding,
} from './rows.js';

export type LinkScope = (typeof linkScopes)[number];
export type EndReason =
  | 'revoked_by_app'
  | 'revoked_by_person'
  | 'revoked_by_admin'
  | 'replaced'
  | 'token_reused'
  | 'expired'
  | 'switched_off'
  | 'person_left'
  | 'company_deactivated'
  | 'extension_deleted'
  | 'extension_rebound'
  | 'linking_off';

/**
 * The app behind an access token, acting for its person. Read at every request, so that revoked permissions stop
 * immediately.
 */
export interface LinkCaller {
  readonly kind: 'link';
  readonly linkId: LinkId;
  readonly extensionId: ExtensionId;
  /** Name of the extension. */
  readonly name: string;
  readonly personId: PersonId;
  readonly companyId: CompanyId;
  readonly scopes: readonly Scope[];
  readonly leading: boolean;
  readonly peopleWrites: boolean;
  readonly expiresAt: Instant;
}

const form = /^cpa_[0-9A-Za-z]{32}$/;

/** A link, with what became of its limit where the look-up counted the request as well. */
export interface CountedLink {
  readonly caller: LinkCaller;
  readonly counted?: LimitDecision;
}

/**
 * Authenticates access tokens and counts their requests, in one round trip if the database counts the limits.
 * @returns a function that throws `unauthorized` (unknown, or no access token), `token_expired` or `token_revoked` (the
 * link is over); without `counted`, the caller counts the request
 */
export function createLinkAuthentication(
  reader: Reader,
  limiter: RateLimiter,
  limit: number,
): (text: string, at: Instant) => Promise<CountedLink> {
  const findCounted = limiter.prepareLookup?.<AccessTokenRow>(countedLinkLookup);
  return async (text, at) => {
    if (!form.test(text)) throw new Refusal('unauthorized');
    const hash = hashOfSecret(text);
    if (findCounted === undefined) return { caller: validate(await findAccessToken(reader, hash), at) };
    const { row, decision } = await findCounted({ hash }, limit, at);
    const caller = validate(row, at);
    return decision === undefined ? { caller } : { caller, counted: decision };
  };
}

function validate(row: AccessTokenRow | undefined, at: Instant): LinkCaller {
  if (row === undefined) throw new Refusal('unauthorized');
  if (!isAlive(row, at)) throw new Refusal('token_revoked');
  if (row.token_expires_at <= at) throw new Refusal('token_expired');
  return {
    kind: 'link',
    linkId: row.id,
    extensionId: row.extension_id,
    name: row.extension_name,
    personId: row.person_id,
    companyId: row.company_id,
    scopes: intersect(readScopes(row.token_scopes), scopesNow(row)),
    leading: row.is_leading === 1,
    peopleWrites: row.people_writes === 1,
    expiresAt: row.expires_at,
  };
}

export function isAlive(link: LinkStanding, at: Instant): boolean {
  return (
    link.ended_at === null &&
    link.expires_at > at &&
    link.personal_links === 1 &&
    link.person_active === 1 &&
    (link.binding === null || link.binding === link.company_id)
  );
}

/** What the person granted and the extension's key still holds. */
export function scopesNow(link: Pick<LinkStanding, 'scopes' | 'key_scopes'>): LinkScope[] {
  return intersect(readScopes(link.scopes), readScopes(link.key_scopes));
}

export function readScopes(json: string): LinkScope[] {
  return JSON.parse(json) as LinkScope[];
}

/** In the order of the contract. */
export function intersect(one: readonly string[], other: readonly string[]): LinkScope[] {
  return linkScopes.filter((scope) => one.includes(scope) && other.includes(scope));
}

/**
 * Ends active links: after the commit their tokens fail on every replica, because every request reads the link. Each
 * gets an audit entry and the event `link.ended` for its extension. @returns their number
 */
export async function endLinks(
  tx: Transaction,
  filter: LinkFilter,
  reason: EndReason,
  actor: Actor,
  at: Instant,
): Promise<number> {
  const ended = await endLinkRows(tx, filter, reason, at);
  for (const link of ended) {
    // The event sequence is locked before the audit log, as everywhere, so that two writers never deadlock.
    const sequence = await takeSequence(tx);
    await appendEvent(tx, sequence, {
      type: 'link.ended',
      at,
      companyId: link.company_id,
      personId: link.person_id,
      extensionId: link.extension_id,
      data: { id: link.id, user_id: link.person_id, reason, ended_at: formatInstant(at) },
    });
    await appendAudit(tx, {
      at,
      companyId: link.company_id,
      actor,
      action: 'link.ended',
      subject: `personal_link ${link.id}`,
      details: { reason, person: link.person_id, extension: link.extension_id },
    });
  }
  return ended.length;
}

/** A person ends one of their links. @throws Refusal `not_found` not one of their active links */
export async function endLinkOfPerson(
  tx: Transaction,
  { personId, linkId }: { readonly personId: PersonId; readonly linkId: LinkId },
  actor: Actor,
  at: Instant,
): Promise<void> {
  if (
    (await findStanding(tx, linkId))?.person_id !== personId ||
    (await endLinks(tx, { linkId }, 'revoked_by_person', actor, at)) === 0
  )
    throw new Refusal('not_found');
}

/** An admin ends one link to an extension. @throws Refusal `not_found` not an active link of this extension */
export async function endLinkOfExtension(
  tx: Transaction,
  { extensionId, linkId }: { readonly extensionId: ExtensionId; readonly linkId: LinkId },
  actor: Actor,
  at: Instant,
): Promise<void> {
  if (
    (await findStanding(tx, linkId))?.extension_id !== extensionId ||
    (await endLinks(tx, { linkId }, 'revoked_by_admin', actor, at)) === 0
  )
    throw new Refusal('not_found');
}

/** Ends expired links: they no longer worked, and this notifies their apps. */
export async function endExpiredLinks(db: Database, at: Instant): Promise<number> {
  if (!(await hasExpiredLinks(db, at))) return 0;
  return db.write((tx) => endLinks(tx, { expiredAt: at }, 'expired', { kind: 'system' }, at));
}
