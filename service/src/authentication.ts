/**
 * The credential of a request of the public contract: a key, an access token, an app's secret or a terminal's
 * signature. Rights are read from the database at every request. A valid credential of the wrong kind is 403: a 401
 * would count as a failed authentication, and make OAuth clients spend a refresh token.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Reader } from '@clockproof/platform/database/database';
import type { Authenticated, Authorize, IncomingRequest } from '@clockproof/platform/http/api';
import type { OperationInfo } from '@clockproof/platform/http/operations';
import type { RateLimiter } from '@clockproof/platform/http/rate-limit';
import type { Instant } from '@clockproof/platform/time/instant';
import { authenticateClient } from './access/oauth/client.js';
import { createLinkAuthentication, keepLink } from './access/oauth/links.js';
import { countedLinkLookup } from './access/oauth/rows.js';
import { createKeyAuthentication, keepHolder } from './extensions/keys.js';
import { countedKeyLookup, findExtensionByClientId } from './extensions/rows.js';
import { linkScopes, type Scope, writeScopes } from './generated/contract.js';
import type { Anyone, ExtensionCaller, LinkCaller } from './people/caller.js';
import { Refusal, rightsChanged } from './store/refusal.js';
import { requiringGrants } from './store/scope.js';
import { authenticateTerminal, keepTerminalKey } from './terminals/request-signature.js';

export interface AuthenticationNeeds {
  readonly db: Reader;
  readonly clock: () => Instant;
  readonly limiter: RateLimiter;
  readonly noteUse: (keyId: string, at: Instant) => void;
  readonly noteLinkUse: (linkId: string, at: Instant) => void;
  /** EXTENSIONS_ENABLED: without it, no key writes for people, and there are no personal links. */
  readonly extensionsEnabled: boolean;
  /** Requests per minute of a key or personal link. */
  readonly ratePerCaller: number;
  /** Requests per minute of a confirmed terminal; another one counts against its address. */
  readonly ratePerTerminal: number;
}

const anonymous: Authenticated = { caller: { kind: 'anyone' } satisfies Anyone };
/** The needs of authentication, put together once. */
interface Prepared extends AuthenticationNeeds {
  readonly authenticateKey: ReturnType<typeof createKeyAuthentication>;
  readonly authenticateLink: ReturnType<typeof createLinkAuthentication>;
}

export function createAuthentication(
  baseNeeds: AuthenticationNeeds,
): (request: IncomingRequest) => Promise<Authenticated> | Authenticated {
  const needs: Prepared = {
    ...baseNeeds,
    authenticateKey: createKeyAuthentication(baseNeeds.db, baseNeeds.limiter, baseNeeds.ratePerCaller),
    authenticateLink: createLinkAuthentication(baseNeeds.db, baseNeeds.limiter, baseNeeds.ratePerCaller),
  };
  return (request) => {
    const { security } = request.operation;
    if (security.some((alternative) => alternative.length === 0)) return anonymous;
    if (accepts(request.operation, 'terminalSignature')) return authenticateSigned(needs, request);
    if (accepts(request.operation, 'clientBasic')) return authenticateApp(needs, request);
    return authenticateBearer(needs, request);
  };
}

export function accepts(operation: OperationInfo, scheme: string): boolean {
  return operation.security.some((alternative) => alternative.includes(scheme));
}

async function authenticateSigned(
  { db, ratePerTerminal }: AuthenticationNeeds,
  request: IncomingRequest,
): Promise<Authenticated> {
  const caller = await authenticateTerminal(db, request);
  const authorize: Authorize = (tx) => keepTerminalKey(tx, caller);
  return caller.terminal.confirmed_at === null
    ? { caller, authorize }
    : { caller, authorize, bucket: { name: 'terminal', key: caller.terminal.id, limit: ratePerTerminal } };
}

async function authenticateApp(
  { db, clock, noteUse, ratePerCaller }: AuthenticationNeeds,
  { headers, rawBody, at }: IncomingRequest,
): Promise<Authenticated> {
  const caller = await authenticateClient(db, { authorization: headers.authorization, form: rawBody }, at);
  noteUse(caller.keyId, at);
  return {
    caller,
    authorize: repeatAuthorization(async (tx) => {
      await keepHolder(tx, caller, { at, now: clock() });
      const extension = await findExtensionByClientId(tx, caller.clientId);
      if (extension?.id !== caller.extensionId) throw new Refusal('unauthorized');
      if ((extension.linkable === 1) !== caller.linkable) throw rightsChanged();
    }),
    bucket: { name: 'key', key: caller.extensionId, limit: ratePerCaller },
  };
}

async function authenticateBearer(
  needs: Prepared,
  { operation, headers, at }: IncomingRequest,
): Promise<Authenticated> {
  const text = readCredential(headers);
  if (text.startsWith('cpa_') && headers.authorization !== undefined)
    return authenticateToken(needs, text, operation, at);
  const { caller: keyHolder, limitDecision } = await needs.authenticateKey(text, at);
  const callerOf = (holder: ExtensionCaller) => ({
    ...holder,
    scope: requiringGrants(holder.scope, linkScopesOf(operation)),
  });
  const caller = callerOf(keyHolder);
  needs.noteUse(caller.keyId, at);
  return {
    caller,
    authorize: repeatAuthorization(async (tx) => {
      const now = callerOf(await keepHolder(tx, caller, { at, now: needs.clock() }));
      refuseChanged(caller, now, refusalFor(now, operation, needs.extensionsEnabled));
    }),
    bucket: { name: countedKeyLookup.bucket, key: caller.extensionId, limit: needs.ratePerCaller },
    counted: limitDecision,
    ...(accepts(operation, 'apiKey')
      ? refusalFor(caller, operation, needs.extensionsEnabled)
      : { refusal: new Refusal('wrong_credential_kind') }),
  };
}

/** A key that reads linked people needs their grant: the permission of the operation, if links have it. */
function linkScopesOf({ scope }: OperationInfo): readonly string[] {
  return linkScopes.filter((candidate) => candidate === scope);
}

/**
 * The key or access token of a request. The same key in both headers is one credential; two different ones could mean
 * two callers, so they are refused.
 * @throws Refusal `unauthorized`
 */
function readCredential({ authorization, 'x-api-key': alias }: IncomingRequest['headers']): string {
  const bearer = authorization === undefined ? undefined : /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
  const text = bearer ?? alias;
  if (typeof text !== 'string') throw new Refusal('unauthorized');
  if (authorization !== undefined && (bearer === undefined || (alias !== undefined && alias !== bearer)))
    throw new Refusal('unauthorized');
  return text;
}

async function authenticateToken(
  needs: Prepared,
  text: string,
  operation: OperationInfo,
  at: Instant,
): Promise<Authenticated> {
  if (!needs.extensionsEnabled) throw new Refusal('unauthorized');
  const { caller, limitDecision } = await needs.authenticateLink(text, at);
  needs.noteLinkUse(caller.linkId, at);
  return {
    caller,
    authorize: repeatAuthorization(async (tx) => {
      const now = await keepLink(tx, text, at);
      refuseChanged(caller, now, refusalFor(now, operation, needs.extensionsEnabled));
    }),
    bucket: { name: countedLinkLookup.bucket, key: caller.linkId, limit: needs.ratePerCaller },
    counted: limitDecision,
    ...(accepts(operation, 'personalLink')
      ? refusalFor(caller, operation, needs.extensionsEnabled)
      : { refusal: new Refusal('wrong_credential_kind') }),
  };
}

/** `WWW-Authenticate` of a 401. RFC 6750 §3.1: `invalid_token` if a credential was shown, otherwise no error. */
export function challengeFor(operation: OperationInfo, headers: IncomingRequest['headers']): string {
  if (accepts(operation, 'clientBasic')) return 'Basic realm="clockproof", charset="UTF-8"';
  if (accepts(operation, 'terminalSignature')) return 'Service-Signature realm="service-terminal-v1"';
  const hasCredential = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
  return `Bearer realm="clockproof"${hasCredential ? ', error="invalid_token"' : ''}`;
}

/** The kind of credential that a request tries, for the security log. */
export function credentialOf({ operation, headers }: IncomingRequest): string {
  if (operation.id === 'pairTerminal') return 'pairing_code';
  if (accepts(operation, 'terminalSignature')) return 'terminal_signature';
  if (accepts(operation, 'clientBasic')) return 'client_secret';
  return /^Bearer +cpa_/i.test(headers.authorization ?? '') ? 'access_token' : 'key';
}

/** A credential that was good a moment ago: its end is no failed authentication. */
function repeatAuthorization(authorize: Authorize): Authorize {
  return async (tx) => {
    try {
      await authorize(tx);
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(error.code, { ...error.options, noCredentialTried: true }) : error;
    }
  };
}

/**
 * @throws Refusal the caller's present refusal; `unavailable` if the operation is allowed but the rights have changed
 */
function refuseChanged<Caller extends ExtensionCaller | LinkCaller>(
  before: Caller,
  now: Caller,
  { refusal }: { readonly refusal?: Refusal },
): void {
  if (refusal !== undefined) throw refusal;
  // Another name is no other right.
  if (!isDeepStrictEqual({ ...now, name: before.name }, before)) throw rightsChanged();
}

/** `company_inactive`, `feature_disabled` if writing for people is off, `insufficient_scope` (RFC 6750 §3.1), or nothing. */
function refusalFor(
  caller: ExtensionCaller | LinkCaller,
  { scope: permission, ownScope }: OperationInfo,
  extensionsEnabled: boolean,
): { readonly refusal?: Refusal } {
  if (caller.kind === 'key' && !caller.companyActive) return { refusal: new Refusal('company_inactive') };
  if (permission === null) return {};
  const holds = (scope: string) => caller.scopes.includes(scope as Scope);
  const scope = ownScope !== undefined && holds(ownScope) && !holds(permission) ? ownScope : permission;
  if ((writeScopes as readonly string[]).includes(scope) && !(extensionsEnabled && caller.peopleWrites))
    return { refusal: new Refusal('feature_disabled') };
  if (holds(scope)) return {};
  const challenge = `Bearer realm="clockproof", error="insufficient_scope", scope="${scope}"`;
  return {
    refusal: new Refusal('insufficient_scope', {
      details: [{ field: 'scope', code: 'missing', error: `This needs ${scope}.` }],
      headers: { 'www-authenticate': challenge },
    }),
  };
}
