/** A person's consent: the app's question stored here, tied to browser, session and person; answered once. */

import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import { type ExtensionRow, findExtension } from '../../extensions/rows.js';
import type { PersonRow } from '../../people/rows.js';
import type { ExtensionId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { Transaction } from '../../store/tables.js';
import type { Write } from '../../store/write.js';
import { hashOfSecret, newSecret } from '../secrets.js';
import { intersect, type LinkScope, readScopes } from './links.js';
import { withParameters } from './redirect.js';
import { type ConsentRow, claimConsent, findConsent, insertConsent, lockPeopleAccess, markDecided } from './rows.js';
import { issueCode } from './tokens.js';

const consentMilliseconds = 10 * minute;
const markForm = /^cpb_[0-9A-Za-z]{32}$/;

/** The signed-in person who views a request, and the mark of their browser. */
export interface Decider {
  readonly person: PersonRow;
  readonly sessionId: string;
  readonly browserMark: string | undefined;
}

/**
 * Stores an app's request.
 * @param browser.mark content of its cookie; @param browser.signedIn the session it is signed in with already
 * @returns the id for the page, and the mark to set in the cookie
 */
export async function openConsent(
  tx: Transaction,
  question: {
    extensionId: ExtensionId;
    redirectUri: string;
    codeChallenge: string;
    state: string | null;
    scopes: readonly LinkScope[];
  },
  browser: {
    mark: string | undefined;
    signedIn: { sessionId: string; personId: PersonId } | undefined;
  },
  randomBytes: RandomBytes,
  at: Instant,
): Promise<{ readonly id: string; readonly mark: string }> {
  const id = `cns_${base62(20, randomBytes)}`;
  const { signedIn } = browser;
  const mark =
    browser.mark !== undefined && markForm.test(browser.mark) ? browser.mark : newSecret('cpb_', randomBytes);
  await insertConsent(tx, {
    id,
    extension_id: question.extensionId,
    redirect_uri: question.redirectUri,
    code_challenge: question.codeChallenge,
    state: question.state,
    scopes: JSON.stringify(question.scopes),
    browser_hash: hashOfSecret(mark),
    session_id: signedIn?.sessionId ?? null,
    person_id: signedIn?.personId ?? null,
    created_at: at,
    expires_at: at + consentMilliseconds,
    decided_at: null,
  });
  return { id, mark };
}

export interface Consent {
  readonly request: ConsentRow;
  readonly extension: ExtensionRow;
  readonly scopes: readonly LinkScope[];
}

/**
 * A request, if it belongs to this person. The first session in the same browser that views an unclaimed request gets
 * it.
 * @throws Refusal `not_found`
 */
export async function readConsent(tx: Transaction, id: string, decider: Decider, at: Instant): Promise<Consent> {
  const consent = await findConsent(tx, id, at);
  if (
    consent === undefined ||
    decider.browserMark === undefined ||
    hashOfSecret(decider.browserMark) !== consent.browser_hash
  )
    throw new Refusal('not_found');
  if (consent.session_id === null) await claimConsent(tx, id, decider.sessionId, decider.person.id);
  return ownConsent(tx, id, decider, at);
}

async function ownConsent(
  reader: Reader,
  id: string,
  { person, sessionId, browserMark }: Decider,
  at: Instant,
): Promise<Consent> {
  const request = await findConsent(reader, id, at);
  const isOwn =
    request !== undefined &&
    browserMark !== undefined &&
    hashOfSecret(browserMark) === request.browser_hash &&
    request.session_id === sessionId &&
    request.person_id === person.id;
  if (!isOwn) throw new Refusal('not_found');
  const extension = await findExtension(reader, request.extension_id);
  if (
    extension === undefined ||
    extension.linkable === 0 ||
    (extension.company_id !== null && extension.company_id !== person.company_id)
  )
    throw new Refusal('not_found');
  return {
    request,
    extension,
    scopes: intersect(readScopes(request.scopes), JSON.parse(extension.scopes) as string[]),
  };
}

export type Decision =
  | { readonly decision: 'deny' }
  | { readonly decision: 'allow'; readonly scopes: readonly string[] };

/**
 * Decides a request, once.
 * @param issuer BASE_URL: `iss` of RFC 9207
 * @returns the redirect to the app, with a code or with `access_denied`
 * @throws Refusal `not_found` it belongs to someone else, `already_decided`, `feature_disabled`, `invalid_request` more
 * than was requested
 */
export async function answerConsent(
  write: Write,
  id: string,
  decider: Decider,
  decision: Decision,
  { issuer, randomBytes }: { readonly issuer: string; readonly randomBytes: RandomBytes },
): Promise<string> {
  const { actor, at } = write;
  const access = await lockPeopleAccess(write);
  const { request, extension, scopes } = await ownConsent(write, id, decider, at);
  if (request.decided_at !== null) throw new Refusal('already_decided');
  if (access.personal_links === 0) throw new Refusal('feature_disabled');
  const grantedScopes = decision.decision === 'deny' ? [] : intersect(decision.scopes, scopes);
  if (
    decision.decision === 'allow' &&
    decision.scopes.some((scope) => !readScopes(request.scopes).includes(scope as LinkScope))
  ) {
    throw new Refusal('invalid_request', {
      details: [{ field: 'scopes', code: 'not_allowed', error: 'This permission was not asked for.' }],
    });
  }
  if (!(await markDecided(write, id, at))) throw new Refusal('already_decided');
  const personId = decider.person.id;
  const auditEntry = { at, companyId: decider.person.company_id, actor, subject: `extension ${extension.id}` };
  const redirectWith = (outcome: Readonly<Record<string, string>>) =>
    withParameters(request.redirect_uri, { ...outcome, state: request.state, iss: issuer });
  if (grantedScopes.length === 0) {
    await write.audit({ ...auditEntry, action: 'link.declined' });
    return redirectWith({ error: 'access_denied', error_description: 'The person declined.' });
  }
  const code = await issueCode(
    write,
    {
      extensionId: extension.id,
      personId,
      redirectUri: request.redirect_uri,
      codeChallenge: request.code_challenge,
      scopes: grantedScopes,
      linkDays: extension.link_days,
    },
    randomBytes,
    at,
  );
  await write.audit({
    ...auditEntry,
    action: 'link.consented',
    details: { scopes: grantedScopes, days: extension.link_days, key_reads: extension.key_reads },
  });
  return redirectWith({ code });
}
