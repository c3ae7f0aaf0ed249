/** Personal links: their current permissions, and how they end. */

import type { Reader } from '@clockproof/platform/database/database';
import type { LimitDecision, RateLimiter } from '@clockproof/platform/http/rate-limit';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { linkScopes } from '../../generated/contract.js';
import { type LinkEndedWhy, notify } from '../../inbox/notices.js';
import type { LinkCaller } from '../../people/caller.js';
import type { ExtensionId, LinkId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { Store, Write } from '../../store/write.js';
import { hashOfSecret } from '../secrets.js';
import {
  type AccessTokenRow,
  countedLinkLookup,
  countLinksToEnd,
  endLinkRows,
  findAccessToken,
  findLinkState,
  keepAccessToken,
  type LinkFilter,
  type LinkState,
  listInvalidLinks,
} from './rows.js';

export type LinkScope = (typeof linkScopes)[number];
export type EndReason = LinkEndedWhy | 'revoked_by_person' | 'replaced' | 'person_left' | 'company_deactivated';

const form = /^cpa_[0-9A-Za-z]{32}$/;

/** A link, with the decision of its limit if the look-up counted the request as well. */
export interface CountedLink {
  readonly caller: LinkCaller;
  readonly limitDecision?: LimitDecision;
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
    return decision === undefined ? { caller } : { caller, limitDecision: decision };
  };
}

/**
 * Asks again in the transaction of a write, during which the link stays as it is.
 * @throws Refusal `unauthorized`, `token_expired`, `token_revoked`
 */
export async function keepLink(tx: Reader, text: string, at: Instant): Promise<LinkCaller> {
  return validate(await keepAccessToken(tx, hashOfSecret(text)), at);
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

export function isAlive(link: LinkState, at: Instant): boolean {
  return (
    link.ended_at === null &&
    link.expires_at > at &&
    link.personal_links === 1 &&
    link.linkable === 1 &&
    link.person_active === 1 &&
    (link.binding === null || link.binding === link.company_id)
  );
}

/** The scopes that the person granted and the extension's key still holds. */
export function scopesNow(link: Pick<LinkState, 'scopes' | 'key_scopes'>): LinkScope[] {
  return intersect(readScopes(link.scopes), readScopes(link.key_scopes));
}

export function readScopes(json: string): LinkScope[] {
  return JSON.parse(json) as LinkScope[];
}

/** In the order of the contract. */
export function intersect(a: readonly string[], b: readonly string[]): LinkScope[] {
  return linkScopes.filter((scope) => a.includes(scope) && b.includes(scope));
}

/** People need no notice of their own actions, and those who have left read none. */
function needsNotice(reason: EndReason): reason is LinkEndedWhy {
  return !['revoked_by_person', 'replaced', 'person_left', 'company_deactivated'].includes(reason);
}

/** Links that one write ends: it has room for so many events and audit entries. */
const maxEnded = 500;

/**
 * Ends active links: after the commit their tokens fail on every replica, because every request reads the link. Each
 * gets an audit entry and the event `link.ended` for its extension, and its person a notice. If more than
 * {@link maxEnded} end together, {@link endExpiredLinks} ends the others: the cause of the caller must keep them from
 * being used.
 * @returns the number of links that end
 */
export async function endLinks(
  write: Write,
  filter: LinkFilter,
  reason: EndReason,
  actor = write.actor,
): Promise<number> {
  const { at } = write;
  const endedRows = await endLinkRows(write, filter, { why: reason, at, limit: maxEnded });
  for (const link of endedRows) {
    await write.event({
      type: 'link.ended',
      companyId: link.company_id,
      personId: link.person_id,
      extensionId: link.extension_id,
      data: { id: link.id, user_id: link.person_id, reason, ended_at: formatInstant(at) },
    });
    await write.audit({
      companyId: link.company_id,
      actor,
      action: 'link.ended',
      subject: `personal_link ${link.id}`,
      details: { reason, person: link.person_id, extension: link.extension_id },
    });
    if (needsNotice(reason))
      await notify(write, [link.person_id], { kind: 'link_ended', extension: link.extension_id, reason });
  }
  return endedRows.length < maxEnded ? endedRows.length : endedRows.length + (await countLinksToEnd(write, filter));
}

/** A person ends one of their links. @throws Refusal `not_found` not one of their active links */
export async function endLinkOfPerson(
  write: Write,
  { personId, linkId }: { readonly personId: PersonId; readonly linkId: LinkId },
): Promise<void> {
  if (
    (await findLinkState(write, linkId))?.person_id !== personId ||
    (await endLinks(write, { linkId }, 'revoked_by_person')) === 0
  )
    throw new Refusal('not_found');
}

/** An admin ends one link to an extension. @throws Refusal `not_found` not an active link of this extension */
export async function endLinkOfExtension(
  write: Write,
  { extensionId, linkId }: { readonly extensionId: ExtensionId; readonly linkId: LinkId },
): Promise<void> {
  if (
    (await findLinkState(write, linkId))?.extension_id !== extensionId ||
    (await endLinks(write, { linkId }, 'revoked_by_admin')) === 0
  )
    throw new Refusal('not_found');
}

/**
 * Ends links that expired, or that a switch, a setting or the end of an employment has made invalid: they no longer
 * worked, and this notifies their apps. If the process stops between two writes, the next call goes on.
 * @returns their number
 */
export async function endExpiredLinks(db: Store, at: Instant): Promise<number> {
  let count = 0;
  while ((await listInvalidLinks(db, at, 1)).length > 0)
    count += await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      let endedCount = 0;
      for (const { id, why } of await listInvalidLinks(write, at, maxEnded))
        endedCount += await endLinks(write, { linkId: id }, why);
      return endedCount;
    });
  return count;
}
