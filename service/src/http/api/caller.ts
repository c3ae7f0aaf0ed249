/**
 * Who is calling, for whom they act and what they may read: for every operation of the public contract. Rights are read
 * from the database at every request. What lies outside a caller's scope is not found. A valid credential of the wrong
 * kind is 403: a 401 would count as a failed authentication, and make OAuth clients spend a refresh token.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Authenticated, IncomingRequest } from '@clockproof/platform/http/api';
import type { OperationInfo } from '@clockproof/platform/http/operations';
import type { RateLimiter } from '@clockproof/platform/http/rate-limit';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Actor } from '../../audit/audit.js';
import type { Source } from '../../clocking/stamp.js';
import { createKeyAuthentication, type ExtensionCaller } from '../../extensions/keys.js';
import { countedKeyLookup } from '../../extensions/rows.js';
import { linkScopes, type Scope } from '../../generated/contract.js';
import { authenticateClient } from '../../oauth/client.js';
import { createLinkAuthentication, type LinkCaller } from '../../oauth/links.js';
import { countedLinkLookup } from '../../oauth/rows.js';
import { findPerson, listCompanies } from '../../people/rows.js';
import { invalidField, Refusal } from '../../refusal.js';
import { companiesOf, granting, type TenantScope } from '../../tenant/scope.js';
import { authenticateTerminal } from '../../terminals/request-signature.js';

export interface AuthenticationNeeds {
  readonly db: Reader;
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

/** The caller of an operation that needs no credential. */
export interface Anyone {
  readonly kind: 'anyone';
}
const anyone: Authenticated = { caller: { kind: 'anyone' } satisfies Anyone };

/** What authenticating a request needs, put together once. */
interface Prepared extends AuthenticationNeeds {
  readonly authenticateKey: ReturnType<typeof createKeyAuthentication>;
  readonly authenticateLink: ReturnType<typeof createLinkAuthentication>;
}

export function createAuthentication(
  given: AuthenticationNeeds,
): (request: IncomingRequest) => Promise<Authenticated> | Authenticated {
  const needs: Prepared = {
    ...given,
    authenticateKey: createKeyAuthentication(given.db, given.limiter, given.ratePerCaller),
    authenticateLink: createLinkAuthentication(given.db, given.limiter, given.ratePerCaller),
  };
  return (request) => {
    const { security } = request.operation;
    if (security.some((alternative) => alternative.length === 0)) return anyone;
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
  return caller.terminal.confirmed_at === null
    ? { caller }
    : { caller, bucket: { name: 'terminal', key: caller.terminal.id, limit: ratePerTerminal } };
}

async function authenticateApp(
  { db, noteUse, ratePerCaller }: AuthenticationNeeds,
  { headers, rawBody, at }: IncomingRequest,
): Promise<Authenticated> {
  const caller = await authenticateClient(db, { authorization: headers.authorization, form: rawBody }, at);
  noteUse(caller.keyId, at);
  return { caller, bucket: { name: 'key', key: caller.extensionId, limit: ratePerCaller } };
}

async function authenticateBearer(
  needs: Prepared,
  { operation, headers, at }: IncomingRequest,
): Promise<Authenticated> {
  const text = readCredential(headers);
  if (text.startsWith('cpa_') && headers.authorization !== undefined)
    return authenticateToken(needs, text, operation, at);
  const { caller: found, counted } = await needs.authenticateKey(text, at);
  const caller = { ...found, scope: granting(found.scope, linkScopesOf(operation)) };
  needs.noteUse(caller.keyId, at);
  return {
    caller,
    bucket: { name: countedKeyLookup.bucket, key: caller.extensionId, limit: needs.ratePerCaller },
    ...(counted === undefined ? {} : { counted }),
    ...(accepts(operation, 'apiKey')
      ? refusalFor(caller, operation, needs.extensionsEnabled)
      : { refusal: new Refusal('wrong_credential_kind') }),
  };
}

/** A key that reads linked people reads what they gave to their link: the permission of the operation, if links have it. */
function linkScopesOf({ scope }: OperationInfo): readonly string[] {
  return linkScopes.filter((one) => one === scope);
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
  const { caller, counted } = await needs.authenticateLink(text, at);
  needs.noteLinkUse(caller.linkId, at);
  return {
    caller,
    bucket: { name: countedLinkLookup.bucket, key: caller.linkId, limit: needs.ratePerCaller },
    ...(counted === undefined ? {} : { counted }),
    ...(accepts(operation, 'personalLink')
      ? refusalFor(caller, operation, needs.extensionsEnabled)
      : { refusal: new Refusal('wrong_credential_kind') }),
  };
}

/**
 * `WWW-Authenticate` of a 401. RFC 6750 §3.1: `invalid_token` where one was shown, and no error where none was.
 */
export function challengeFor(operation: OperationInfo, headers: IncomingRequest['headers']): string {
  if (accepts(operation, 'clientBasic')) return 'Basic realm="clockproof", charset="UTF-8"';
  if (accepts(operation, 'terminalSignature')) return 'Service-Signature realm="service-terminal-v1"';
  const shown = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
  return `Bearer realm="clockproof"${shown ? ', error="invalid_token"' : ''}`;
}

/** Which kind of credential a request tries, for the security log. */
export function credentialOf({ operation, headers }: IncomingRequest): string {
  if (operation.id === 'pairTerminal') return 'pairing_code';
  if (accepts(operation, 'terminalSignature')) return 'terminal_signature';
  if (accepts(operation, 'clientBasic')) return 'client_secret';
  return /^Bearer +cpa_/i.test(headers.authorization ?? '') ? 'access_token' : 'key';
}

/** `company_inactive`, `feature_disabled` if writing for people is off, `insufficient_scope`, or nothing. */
function refusalFor(
  caller: ExtensionCaller | LinkCaller,
  { scope }: OperationInfo,
  extensionsEnabled: boolean,
): { readonly refusal?: Refusal } {
  if (caller.kind === 'key' && !caller.companyActive) return { refusal: new Refusal('company_inactive') };
  if (scope === null) return {};
  if (scope.startsWith('write:') && !(extensionsEnabled && caller.peopleWrites))
    return { refusal: new Refusal('feature_disabled') };
  return caller.scopes.includes(scope as Scope) ? {} : { refusal: new Refusal('insufficient_scope') };
}

export type ApiCaller = ExtensionCaller | LinkCaller;

/** What cursors and idempotency keys belong to: `ext_…` or `lnk_…`. */
export function callerKey(caller: ApiCaller): string {
  return caller.kind === 'link' ? caller.linkId : caller.extensionId;
}

/**
 * The person a write is for, and their company.
 * @param named `user_id` of the request
 * @throws Refusal `company_mismatch` the key does not act for everyone in a company; `invalid_request` a key has to
 * name the person, a link must not
 */
export function onBehalfOf(
  caller: ApiCaller,
  named: number | undefined,
): { readonly personId: number; readonly companyId: number } {
  if (caller.kind === 'link') {
    if (named !== undefined)
      throw invalidField('user_id', 'not_allowed', 'A personal link acts for its own person and names no one.');
    return { personId: caller.personId, companyId: caller.companyId };
  }
  const companyId = companyOnBehalf(caller);
  if (named === undefined) throw invalidField('user_id', 'missing', 'A company key names the person.');
  return { personId: named, companyId };
}

/** @throws Refusal `company_mismatch` the key does not act for everyone in a company */
export function companyOnBehalf(caller: ApiCaller): number {
  if (caller.kind === 'link') return caller.companyId;
  if (!caller.actsForEveryone || caller.scope.company === undefined) throw new Refusal('company_mismatch');
  return caller.scope.company;
}

export function callerActor(caller: ApiCaller): Actor {
  return caller.kind === 'link'
    ? { kind: 'personal_link', id: caller.linkId, name: caller.name, extensionId: caller.extensionId }
    : { kind: 'extension', id: caller.extensionId, name: caller.name };
}

export function sourceOf(caller: ApiCaller): Source & { readonly kind: 'personal_link' | 'extension' } {
  return { kind: caller.kind === 'link' ? 'personal_link' : 'extension', id: callerKey(caller), name: caller.name };
}

/** A key reads what its setting says (see `ExtensionCaller`), a personal link its person. */
export function scopeOf(caller: ApiCaller): TenantScope {
  return caller.kind === 'link' ? { company: caller.companyId, person: caller.personId } : caller.scope;
}

/**
 * The caller's scope, narrowed to the company and the person that the request names.
 * @throws Refusal `not_found` one of them is unknown, or outside the caller's scope
 */
export async function narrowedScope(
  reader: Reader,
  caller: ApiCaller,
  { companyId, personId }: { readonly companyId: number | undefined; readonly personId?: number | undefined },
): Promise<TenantScope> {
  const own = scopeOf(caller);
  let scope = own;
  if (companyId !== undefined) {
    const outside = own.company !== undefined && own.company !== companyId;
    if (outside) throw new Refusal('not_found');
    scope = { ...withoutCompany(own), company: companyId };
    // To a key that reads linked people or nobody every other company is empty, whether there is one or not.
    const partial = own.linkedTo !== undefined || own.nobody === true;
    if (!partial && (await listCompanies(reader, companiesOf(scope), { afterId: 0, limit: 1 })).length === 0)
      throw new Refusal('not_found');
  }
  if (personId !== undefined) {
    if ((await findPerson(reader, personId, own)) === undefined) throw new Refusal('not_found');
    scope = { ...scope, person: personId };
  }
  return scope;
}

function withoutCompany({ company: _company, all: _all, ...narrowing }: TenantScope) {
  return narrowing;
}
