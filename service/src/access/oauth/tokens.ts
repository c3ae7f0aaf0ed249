/**
 * Codes and tokens: minted, exchanged, renewed. Each exchange is one conditional UPDATE in the transaction that mints
 * the successor; a second use of a code or refresh token ends the link (RFC 9700 §4.14). Each link holds one refresh
 * token, so two can never be valid at once.
 *
 * The functions return outcomes instead of throwing, because using up a token and ending a link must be committed
 * although the request is refused.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';
import { day, formatInstant, hour, type Instant, minute } from '@clockproof/platform/time/instant';
import type { OauthErrorCode } from '../../generated/contract.js';
import { findPersonAnywhere } from '../../people/rows.js';
import type { Actor } from '../../store/audit/audit.js';
import type { ExtensionId, LinkId, PersonId } from '../../store/ids.js';
import type { Transaction } from '../../store/tables.js';
import type { Write } from '../../store/write.js';
import { hashOfSecret, newSecret } from '../secrets.js';
import { endLinks, intersect, isAlive, type LinkScope, readScopes, scopesNow } from './links.js';
import {
  exchangeRefreshToken,
  findLinkByRefreshToken,
  findLinkState,
  insertAccessToken,
  insertCode,
  insertLink,
  linkOfAccessToken,
  linkOfUsedCode,
  linkOfUsedRefreshToken,
  lockPeopleAccess,
  noteLinkOfCode,
  rememberRefreshToken,
  takeCode,
} from './rows.js';

const codeMilliseconds = minute;
export const accessMilliseconds = hour;

/** The extension that authenticated at the token endpoint. */
export interface Client {
  readonly extensionId: ExtensionId;
  readonly name: string;
  readonly linkable: boolean;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly scopes: readonly LinkScope[];
  readonly linkExpiresAt: Instant;
}

export type TokenOutcome =
  | { readonly tokens: Tokens }
  | { readonly refused: Extract<OauthErrorCode, 'invalid_grant' | 'unauthorized_client' | 'invalid_scope'> };

/** A code is used up by a wrong try, and a link that ends has its own entry. */
function refusedGrant(write: Write): TokenOutcome {
  write.unaudited('attempt');
  return { refused: 'invalid_grant' };
}

/** A code for a new grant of a person. The lifetime of the link is set here. @returns the code, available only here */
export async function issueCode(
  tx: Transaction,
  grant: {
    extensionId: ExtensionId;
    personId: PersonId;
    redirectUri: string;
    codeChallenge: string;
    scopes: readonly LinkScope[];
    linkDays: number;
  },
  randomBytes: RandomBytes,
  at: Instant,
): Promise<string> {
  const code = newSecret('cpc_', randomBytes);
  await insertCode(tx, {
    hash: hashOfSecret(code),
    extension_id: grant.extensionId,
    person_id: grant.personId,
    redirect_uri: grant.redirectUri,
    code_challenge: grant.codeChallenge,
    scopes: JSON.stringify(grant.scopes),
    link_expires_at: at + grant.linkDays * day,
    expires_at: at + codeMilliseconds,
  });
  return code;
}

/** The first exchange: a code becomes a link. The code is used up in every outcome; using it again ends the link. */
export async function exchangeCode(
  write: Write,
  client: Client,
  request: { code: string; redirectUri: string; verifier: string },
  randomBytes: RandomBytes,
): Promise<TokenOutcome> {
  const { at } = write;
  const access = await lockPeopleAccess(write);
  // Switching off took back every code and ended every link: nothing can become of this one later.
  if (access.personal_links === 0) return refusedGrant(write);
  if (!client.linkable) return { refused: 'unauthorized_client' };
  const hash = hashOfSecret(request.code);
  const code = await takeCode(write, hash, client.extensionId, at);
  if (code === undefined) {
    const linkId = await linkOfUsedCode(write, hash, client.extensionId);
    if (linkId !== undefined) await endLinks(write, { linkId }, 'token_reused');
    return refusedGrant(write);
  }
  const person = await findPersonAnywhere(write, code.person_id);
  const isValid =
    code.expires_at > at &&
    code.redirect_uri === request.redirectUri &&
    verifies(request.verifier, code.code_challenge);
  if (!isValid || person === undefined || person.active === 0 || person.company_active === 0)
    return refusedGrant(write);

  const linkId = `lnk_${base62(16, randomBytes)}`;
  const refresh = newSecret('cpr_', randomBytes);
  await insertLink(write, {
    id: linkId,
    extension_id: client.extensionId,
    person_id: person.id,
    company_id: person.company_id,
    scopes: code.scopes,
    refresh_hash: hashOfSecret(refresh),
    created_at: at,
    expires_at: code.link_expires_at,
  });
  await noteLinkOfCode(write, hash, linkId);
  const link = (await findLinkState(write, linkId))!;
  const scopes = scopesNow(link);
  if (!isAlive(link, at) || scopes.length === 0) {
    await endLinks(write, { linkId }, 'switched_off');
    return refusedGrant(write);
  }
  const terms = { linkId, refresh, scopes, linkExpiresAt: code.link_expires_at };
  const tokens = await mintAccess(write, terms, randomBytes, at);
  const actor: Actor = { kind: 'personal_link', id: linkId, name: client.name, extensionId: client.extensionId };
  // A person's consent to an app is one: the newer takes the place of the older.
  await endLinks(write, { extensionId: client.extensionId, personId: person.id, except: linkId }, 'replaced', actor);
  await write.audit({
    companyId: person.company_id,
    actor,
    action: 'link.opened',
    subject: `person ${person.id}`,
    details: { scopes, expires_at: formatInstant(code.link_expires_at) },
  });
  return { tokens };
}

/** Renewal. @param asked.scopes fewer permissions for the new access token; the link keeps its own */
export async function renewTokens(
  write: Write,
  client: Client,
  request: { refreshToken: string; scopes: readonly string[] | undefined },
  randomBytes: RandomBytes,
): Promise<TokenOutcome> {
  const { at } = write;
  const present = hashOfSecret(request.refreshToken);
  const currentLink = await findLinkByRefreshToken(write, present, client.extensionId);
  const link = currentLink && (await findLinkState(write, currentLink.id));
  if (link !== undefined && isAlive(link, at)) {
    // Checked before the token is used up, so that requesting too much costs nothing.
    const grantedScopes = readScopes(link.scopes);
    if (request.scopes?.some((scope) => !grantedScopes.includes(scope as LinkScope)) === true)
      return { refused: 'invalid_scope' };
    const scopes = intersect(request.scopes ?? grantedScopes, scopesNow(link));
    if (scopes.length === 0) return { refused: 'invalid_scope' };
    const refresh = newSecret('cpr_', randomBytes);
    const renewal = await exchangeRefreshToken(write, {
      present,
      next: hashOfSecret(refresh),
      extensionId: client.extensionId,
      at,
    });
    if (renewal !== undefined) {
      // Tokens come and go under the entry of their link.
      write.unaudited('credential');
      await rememberRefreshToken(write, present, renewal.id);
      const terms = { linkId: renewal.id, refresh, scopes, linkExpiresAt: renewal.expires_at };
      return { tokens: await mintAccess(write, terms, randomBytes, at) };
    }
  }
  const linkId = await linkOfUsedRefreshToken(write, present, client.extensionId);
  if (linkId !== undefined) await endLinks(write, { linkId }, 'token_reused');
  return refusedGrant(write);
}

/** RFC 7009: either token ends the link. Unknown tokens and those of others change nothing. */
export async function revoke(write: Write, client: Client, token: string): Promise<void> {
  const hash = hashOfSecret(token);
  const linkId =
    (await findLinkByRefreshToken(write, hash, client.extensionId))?.id ??
    (await linkOfAccessToken(write, hash, client.extensionId)) ??
    (await linkOfUsedRefreshToken(write, hash, client.extensionId));
  if (linkId !== undefined) await endLinks(write, { linkId }, 'revoked_by_app');
}

async function mintAccess(
  tx: Transaction,
  { linkId, ...terms }: Omit<Tokens, 'access'> & { readonly linkId: LinkId },
  randomBytes: RandomBytes,
  at: Instant,
): Promise<Tokens> {
  const access = newSecret('cpa_', randomBytes);
  // Kept a day after it expired, to distinguish it from an unknown token.
  await insertAccessToken(tx, {
    hash: hashOfSecret(access),
    linkId,
    scopes: JSON.stringify(terms.scopes),
    expiresAt: Math.min(at + accessMilliseconds, terms.linkExpiresAt),
    pruneBefore: at - day,
  });
  return { access, ...terms };
}

/** RFC 7636 §4.6 with S256. A verifier in another format never matches. */
export function verifies(verifier: string, challenge: string): boolean {
  const digest = createHash('sha256').update(verifier).digest();
  const challengeDigest = Buffer.from(challenge, 'base64url');
  return (
    /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) &&
    challengeDigest.length === digest.length &&
    timingSafeEqual(digest, challengeDigest)
  );
}

export function appOf(client: Client): Actor {
  return { kind: 'extension', id: client.extensionId, name: client.name };
}
