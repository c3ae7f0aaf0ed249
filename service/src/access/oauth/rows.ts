import type { Parameters, Reader } from '@clockproof/platform/database/database';
import type { CountedLookupDefinition } from '@clockproof/platform/http/rate-limit';
import type { Instant } from '@clockproof/platform/time/instant';
import { writeScopes } from '../../generated/contract.js';
import type { Tables } from '../../generated/tables.js';
import type { CompanyId, ConsentId, ExtensionId, LinkId, PersonId } from '../../store/ids.js';
import {
  insert,
  remove,
  removeSome,
  removeWhere,
  type Transaction,
  update,
  updateWhere,
  updateWhereReturning,
} from '../../store/tables.js';
import type { EndReason } from './links.js';

/** An app's consent request to a person, until it is decided. */
export type ConsentRow = Tables['consent_requests'];

export type CodeRow = Tables['authorization_codes'];

export type LinkRow = Tables['links'];

/** A link with the columns that determine its current permissions. */
export interface LinkState
  extends Pick<LinkRow, 'id' | 'extension_id' | 'person_id' | 'company_id' | 'scopes' | 'expires_at' | 'ended_at'> {
  readonly extension_name: string;
  /** JSON array */
  readonly key_scopes: string;
  readonly is_leading: 0 | 1;
  readonly binding: number | null;
  readonly people_writes: 0 | 1;
  readonly linkable: 0 | 1;
  readonly personal_links: 0 | 1;
  readonly person_active: 0 | 1;
}

// ---- requests for consent

export async function insertConsent(tx: Transaction, row: ConsentRow): Promise<void> {
  await insert(tx, 'consent_requests', row);
}

export function findConsent(reader: Reader, id: ConsentId, at: Instant): Promise<ConsentRow | undefined> {
  return reader.get<ConsentRow>('SELECT * FROM consent_requests WHERE id = :id AND expires_at > :at', { id, at });
}

/** Assigns an unclaimed request to a session. Of two concurrent attempts, one succeeds. */
export async function claimConsent(
  tx: Transaction,
  id: ConsentId,
  sessionId: string,
  personId: PersonId,
): Promise<void> {
  await updateWhere(
    tx,
    'consent_requests',
    { session_id: sessionId, person_id: personId },
    'id = :id AND session_id IS NULL',
    { id },
  );
}

export async function markDecided(tx: Transaction, id: ConsentId, at: Instant): Promise<boolean> {
  return (
    (await updateWhere(tx, 'consent_requests', { decided_at: at }, 'id = :id AND decided_at IS NULL', { id })) === 1
  );
}

// ---- codes

export async function insertCode(tx: Transaction, row: Omit<CodeRow, 'used_at' | 'link_id'>): Promise<void> {
  await insert(tx, 'authorization_codes', row);
}

/** Uses up a code in every outcome. One statement: of fifty concurrent attempts, one succeeds. */
export async function takeCode(
  tx: Transaction,
  hash: string,
  extensionId: ExtensionId,
  at: Instant,
): Promise<CodeRow | undefined> {
  const [code] = await updateWhereReturning(
    tx,
    'authorization_codes',
    { used_at: at },
    'hash = :hash AND extension_id = :extensionId AND used_at IS NULL',
    { hash, extensionId },
  );
  return code;
}

export async function noteLinkOfCode(tx: Transaction, hash: string, linkId: LinkId): Promise<void> {
  await update(tx, 'authorization_codes', { hash }, { link_id: linkId });
}

/** The link created from a used code of this extension. */
export async function linkOfUsedCode(
  reader: Reader,
  hash: string,
  extensionId: ExtensionId,
): Promise<string | undefined> {
  return (
    (
      await reader.get<{ link_id: LinkId | null }>(
        'SELECT link_id FROM authorization_codes WHERE hash = :hash AND extension_id = :extensionId',
        { hash, extensionId },
      )
    )?.link_id ?? undefined
  );
}

export type ConsentFilter =
  | { readonly extensionId: ExtensionId }
  | { readonly personId: PersonId }
  | { readonly companyId: CompanyId }
  | { readonly all: true };

/**
 * Revokes consents that no app has exchanged yet, and pending consent requests: they never become a link, even if the
 * setting is restored. The caller holds the lock of the installation, so that no code is issued or exchanged meanwhile.
 */
export async function voidConsents(tx: Transaction, filter: ConsentFilter, at: Instant): Promise<void> {
  const condition =
    'extensionId' in filter
      ? 'AND extension_id = :extensionId'
      : 'personId' in filter
        ? 'AND person_id = :personId'
        : 'companyId' in filter
          ? 'AND person_id IN (SELECT id FROM people WHERE company_id = :companyId)'
          : '';
  const parameters = { extensionId: '', personId: 0, companyId: 0, ...('all' in filter ? {} : filter), at };
  await updateWhere(tx, 'authorization_codes', { used_at: at }, `used_at IS NULL ${condition}`, parameters);
  await updateWhere(
    tx,
    'consent_requests',
    { expires_at: at },
    `decided_at IS NULL AND expires_at > :at ${condition}`,
    parameters,
  );
}

// ---- links and tokens

export async function insertLink(
  tx: Transaction,
  row: Omit<LinkRow, 'last_used_at' | 'ended_at' | 'ended_why'>,
): Promise<void> {
  await insert(tx, 'links', row);
}

/**
 * Replaces the current refresh token with the next one. One statement: of fifty concurrent attempts with the current
 * one, one succeeds.
 */
export async function exchangeRefreshToken(
  tx: Transaction,
  { present, next, extensionId, at }: { present: string; next: string; extensionId: ExtensionId; at: Instant },
): Promise<LinkRow | undefined> {
  const [link] = await updateWhereReturning(
    tx,
    'links',
    { refresh_hash: next },
    'refresh_hash = :present AND extension_id = :extensionId AND ended_at IS NULL AND expires_at > :at',
    { present, extensionId, at },
  );
  return link;
}

export function findLinkByRefreshToken(
  reader: Reader,
  hash: string,
  extensionId: ExtensionId,
): Promise<LinkRow | undefined> {
  return reader.get<LinkRow>('SELECT * FROM links WHERE refresh_hash = :hash AND extension_id = :extensionId', {
    hash,
    extensionId,
  });
}

export async function rememberRefreshToken(tx: Transaction, hash: string, linkId: LinkId): Promise<void> {
  await insert(tx, 'used_refresh_tokens', { hash, link_id: linkId });
}

/** The link that a used refresh token of this extension belonged to. */
export async function linkOfUsedRefreshToken(
  reader: Reader,
  hash: string,
  extensionId: ExtensionId,
): Promise<string | undefined> {
  return (
    await reader.get<{ link_id: LinkId }>(
      'SELECT u.link_id FROM used_refresh_tokens u JOIN links l ON l.id = u.link_id WHERE u.hash = :hash AND l.extension_id = :extensionId',
      { hash, extensionId },
    )
  )?.link_id;
}

export async function insertAccessToken(
  tx: Transaction,
  row: { hash: string; linkId: LinkId; scopes: string; expiresAt: Instant; pruneBefore: number },
): Promise<void> {
  await removeWhere(tx, 'access_tokens', 'link_id = :linkId AND expires_at < :pruneBefore', {
    linkId: row.linkId,
    pruneBefore: row.pruneBefore,
  });
  const { hash, linkId, scopes, expiresAt } = row;
  await insert(tx, 'access_tokens', { hash, link_id: linkId, scopes, expires_at: expiresAt });
}

export async function linkOfAccessToken(
  reader: Reader,
  hash: string,
  extensionId: ExtensionId,
): Promise<string | undefined> {
  return (
    await reader.get<{ link_id: LinkId }>(
      'SELECT t.link_id FROM access_tokens t JOIN links l ON l.id = t.link_id WHERE t.hash = :hash AND l.extension_id = :extensionId',
      { hash, extensionId },
    )
  )?.link_id;
}

// Columns are listed, because every request of a link reads them.
const linkStateColumns = `l.id, l.extension_id, l.person_id, l.company_id, l.scopes, l.expires_at, l.ended_at, e.name AS extension_name, e.scopes AS key_scopes, e.is_leading, e.linkable, e.company_id AS binding, a.people_writes, a.personal_links,
  CASE WHEN p.active = 1 AND c.active = 1 THEN 1 ELSE 0 END AS person_active
  FROM links l JOIN extensions e ON e.id = l.extension_id JOIN people p ON p.id = l.person_id JOIN companies c ON c.id = p.company_id JOIN people_access a ON a.one = 1`;

/** A link with the access token that found it. */
export interface AccessTokenRow extends LinkState {
  /** JSON array */
  readonly token_scopes: string;
  readonly token_expires_at: number;
}

const linkByAccessToken = `SELECT t.scopes AS token_scopes, t.expires_at AS token_expires_at, ${linkStateColumns} JOIN access_tokens t ON t.link_id = l.id WHERE t.hash = :hash`;

export function findAccessToken(reader: Reader, hash: string): Promise<AccessTokenRow | undefined> {
  return reader.get<AccessTokenRow>(linkByAccessToken, { hash });
}

/** The same for a write: the link, its extension and its person stay as they are until its transaction ends. */
export function keepAccessToken(tx: Reader, hash: string): Promise<AccessTokenRow | undefined> {
  const { forShare, forKeyShare } = tx.dialect;
  return tx.get<AccessTokenRow>(`${linkByAccessToken}${forShare('l, e, p')}${forKeyShare('c')}`, { hash });
}

/** The condition for a valid access token, on the row that it finds. */
const tokenHolds = `found.token_expires_at > :at AND found.ended_at IS NULL AND found.expires_at > :at AND found.personal_links = 1 AND found.linkable = 1
    AND found.person_active = 1 AND (found.binding IS NULL OR found.binding = found.company_id)`;

/** Finds a link and, if the database counts its requests, counts this one: one statement for both. */
export const countedLinkLookup: CountedLookupDefinition = {
  sql: linkByAccessToken,
  bucket: 'link',
  keyColumn: 'id',
  countedIf: tokenHolds,
};

export function findLinkState(reader: Reader, id: LinkId): Promise<LinkState | undefined> {
  return reader.get<LinkState>(`SELECT ${linkStateColumns} WHERE l.id = :id`, { id });
}

export async function noteLinkUse(tx: Transaction, id: LinkId, at: Instant): Promise<void> {
  await updateWhere(tx, 'links', { last_used_at: at }, 'id = :id AND (last_used_at IS NULL OR last_used_at < :at)', {
    id,
    at,
  });
}

export type LinkFilter =
  | { readonly linkId: LinkId }
  | {
      readonly extensionId: ExtensionId;
      readonly personId?: PersonId;
      readonly except?: string;
      readonly outsideCompany?: number;
    }
  | { readonly personId: PersonId }
  | { readonly companyId: CompanyId }
  | { readonly all: true };

/** The condition and parameters by which a filter selects active links. */
function selectionOf(filter: LinkFilter): { readonly condition: string; readonly parameters: Parameters } {
  const conditions = [
    'ended_at IS NULL',
    'linkId' in filter ? 'id = :linkId' : '',
    'extensionId' in filter ? 'extension_id = :extensionId' : '',
    'personId' in filter && filter.personId !== undefined ? 'person_id = :personId' : '',
    'except' in filter && filter.except !== undefined ? 'id <> :except' : '',
    'outsideCompany' in filter && filter.outsideCompany !== undefined ? 'company_id <> :outsideCompany' : '',
    'companyId' in filter ? 'company_id = :companyId' : '',
  ].filter((condition) => condition !== '');
  const {
    linkId = '',
    extensionId = '',
    personId = 0,
    except = '',
    outsideCompany = 0,
    companyId = 0,
  } = filter as {
    linkId?: LinkId;
    extensionId?: ExtensionId;
    personId?: PersonId;
    except?: string;
    outsideCompany?: number;
    companyId?: CompanyId;
  };
  return {
    condition: conditions.join(' AND '),
    parameters: { linkId, extensionId, personId, except, outsideCompany, companyId },
  };
}

/** Ends active links, at most `limit`. @returns the links that this statement ended, by person */
export async function endLinkRows(
  tx: Transaction,
  filter: LinkFilter,
  { why: reason, at, limit }: { readonly why: string; readonly at: Instant; readonly limit: number },
): Promise<LinkRow[]> {
  const { condition, parameters } = selectionOf(filter);
  const rows = await updateWhereReturning(
    tx,
    'links',
    { ended_at: at, ended_why: reason },
    `ended_at IS NULL AND id IN (SELECT id FROM links WHERE ${condition} ORDER BY person_id, id LIMIT :limit)`,
    { ...parameters, limit },
  );
  return rows.sort((a, b) => a.person_id - b.person_id);
}

/** The number of active links that a filter selects. */
export async function countLinksToEnd(reader: Reader, filter: LinkFilter): Promise<number> {
  const { condition, parameters } = selectionOf(filter);
  return (await reader.get<{ n: number }>(`SELECT count(*) AS n FROM links WHERE ${condition}`, parameters))!.n;
}

/** Links that are not valid any more and not ended yet, by person, with the reason. */
export function listInvalidLinks(
  reader: Reader,
  at: Instant,
  limit: number,
): Promise<{ readonly id: LinkId; readonly why: EndReason }[]> {
  return reader.all(
    `SELECT * FROM (
       SELECT l.id, l.person_id, CASE
         WHEN l.expires_at <= :at THEN 'expired'
         WHEN a.personal_links = 0 THEN 'switched_off'
         WHEN e.deleted_at IS NOT NULL THEN 'extension_deleted'
         WHEN e.linkable = 0 THEN 'linking_off'
         WHEN e.company_id <> l.company_id THEN 'extension_rebound'
         WHEN c.active = 0 THEN 'company_deactivated'
         WHEN p.active = 0 THEN 'person_left' END AS why
       FROM links l JOIN extensions e ON e.id = l.extension_id JOIN people p ON p.id = l.person_id
         JOIN companies c ON c.id = p.company_id JOIN people_access a ON a.one = 1
       WHERE l.ended_at IS NULL) AS present
     WHERE why IS NOT NULL ORDER BY person_id, id LIMIT :limit`,
    { at, limit },
  );
}

/** Active links of a person or an extension, newest first. */
export function listLinkRows(
  reader: Reader,
  {
    personId,
    extensionId,
    at,
    before,
    limit,
  }: {
    personId?: PersonId;
    extensionId?: ExtensionId;
    at: Instant;
    before: { created: number; id: string } | undefined;
    limit: number;
  },
): Promise<(LinkState & Pick<LinkRow, 'created_at' | 'last_used_at'> & { readonly person_name: string })[]> {
  return reader.all(
    `SELECT p.first_name || ' ' || p.last_name AS person_name, l.created_at, l.last_used_at, ${linkStateColumns}
     WHERE l.ended_at IS NULL AND l.expires_at > :at AND ${personId === undefined ? 'l.extension_id = :extensionId' : 'l.person_id = :personId'}
       ${before === undefined ? '' : 'AND (l.created_at, l.id) < (:created, :id)'}
     ORDER BY l.created_at DESC, l.id DESC LIMIT :limit`,
    {
      personId: personId ?? 0,
      extensionId: extensionId ?? '',
      at,
      limit,
      created: before?.created ?? 0,
      id: before?.id ?? '',
    },
  );
}

/**
 * Links of a person that ended since an instant, latest first. An expired link has ended, even if that is not recorded
 * yet.
 */
export function listEndedLinkRows(
  reader: Reader,
  {
    personId,
    at,
    since,
    before,
    limit,
  }: {
    personId: PersonId;
    at: Instant;
    since: number;
    before: { over: number; id: string } | undefined;
    limit: number;
  },
): Promise<
  (LinkState & Pick<LinkRow, 'created_at' | 'last_used_at'> & { readonly over_at: number; readonly over_why: string })[]
> {
  return reader.all(
    `SELECT COALESCE(l.ended_at, l.expires_at) AS over_at, COALESCE(l.ended_why, 'expired') AS over_why, l.created_at, l.last_used_at, ${linkStateColumns}
     WHERE l.person_id = :personId AND (l.ended_at IS NOT NULL OR l.expires_at <= :at) AND COALESCE(l.ended_at, l.expires_at) > :since
       ${before === undefined ? '' : 'AND (COALESCE(l.ended_at, l.expires_at), l.id) < (:over, :id)'}
     ORDER BY COALESCE(l.ended_at, l.expires_at) DESC, l.id DESC LIMIT :limit`,
    { personId, at, since, limit, over: before?.over ?? 0, id: before?.id ?? '' },
  );
}

export async function countLinks(reader: Reader, extensionId: ExtensionId, at: Instant): Promise<number> {
  return (await reader.get<{ n: number }>(
    'SELECT count(*) AS n FROM links WHERE extension_id = :extensionId AND ended_at IS NULL AND expires_at > :at',
    { extensionId, at },
  ))!.n;
}

// ---- the switch

/**
 * Locks the switches of access for people for the rest of the transaction, so that opening a link, granting a scope and
 * switching off are serialised.
 */
export async function lockPeopleAccess(
  tx: Transaction,
): Promise<{ readonly people_writes: 0 | 1; readonly personal_links: 0 | 1; readonly terminals: 0 | 1 }> {
  return (await tx.get(
    `SELECT people_writes, personal_links, terminals FROM people_access WHERE one = 1${tx.dialect.forUpdate}`,
  ))!;
}

/** Removes the writing scopes from every extension that has one. @returns the number of extensions */
export async function stripWriteScopes(tx: Transaction, at: Instant): Promise<number> {
  const writing: ReadonlySet<string> = new Set(writeScopes);
  let strippedCount = 0;
  for (const { id, scopes } of await tx.all<{ id: string; scopes: string }>(
    `SELECT id, scopes FROM extensions${tx.dialect.forUpdate}`,
  )) {
    const heldScopes = JSON.parse(scopes) as string[];
    const remainingScopes = heldScopes.filter((scope) => !writing.has(scope));
    if (remainingScopes.length === heldScopes.length) continue;
    await update(tx, 'extensions', { id }, { scopes: JSON.stringify(remainingScopes), updated_at: at });
    strippedCount++;
  }
  return strippedCount;
}

// ---- housekeeping

/** @returns their number */
export function deleteCodes(tx: Transaction, expiredBefore: number, limit: number): Promise<number> {
  return removeSome(tx, 'authorization_codes', ['hash'], 'expires_at < :expiredBefore', { expiredBefore, limit });
}

/** @returns their number */
export function deleteConsents(tx: Transaction, expiredBefore: number, limit: number): Promise<number> {
  return removeSome(tx, 'consent_requests', ['id'], 'expires_at < :expiredBefore', { expiredBefore, limit });
}

const tokenTables = ['access_tokens', 'used_refresh_tokens'] as const;

/** Deletes tokens of links that ended before; the links stay. @returns their number */
export function deleteTokensOfLinks(
  tx: Transaction,
  table: (typeof tokenTables)[number],
  overBefore: number,
  limit: number,
): Promise<number> {
  const isOver = 'link_id IN (SELECT id FROM links WHERE ended_at < :overBefore OR expires_at < :overBefore)';
  return removeSome(tx, table, ['hash'], isOver, { overBefore, limit });
}

// ---- erasure

/** Removes a person from all tables of links. Does not end links; the caller does that first. */
export async function deleteLinksOfPerson(tx: Transaction, personId: PersonId): Promise<void> {
  await remove(tx, 'consent_requests', { person_id: personId });
  await remove(tx, 'authorization_codes', { person_id: personId });
  for (const table of tokenTables)
    await removeWhere(tx, table, 'link_id IN (SELECT id FROM links WHERE person_id = :personId)', { personId });
  await remove(tx, 'links', { person_id: personId });
}
