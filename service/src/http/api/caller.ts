/**
 * Who is calling: one function for every operation of the public contract. Rights are read from the database at every
 * request.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { OperationInfo } from '@clockproof/platform/http/contract';
import type { Authenticated, IncomingRequest } from '@clockproof/platform/http/edge';
import type { Instant } from '@clockproof/platform/time/instant';
import { authenticateKey, type ExtensionCaller } from '../../extensions/keys.js';
import type { Scope } from '../../generated/contract.js';
import { authenticateClient } from '../../oauth/client.js';
import { authenticateLink, type LinkCaller } from '../../oauth/links.js';
import { Refusal } from '../../refusal.js';
import { authenticateTerminal } from '../../terminals/request-signature.js';
import { refuseLater } from './not-implemented.js';

export interface AuthenticationNeeds {
  readonly db: Reader;
  readonly noteUse: (keyId: string, at: Instant) => void;
  readonly noteLinkUse: (linkId: string, at: Instant) => void;
  /** EXTENSIONS_ENABLED: without it nobody writes for people, and there are no personal links. */
  readonly extensionsEnabled: boolean;
  /** Requests per minute of a key or personal link. */
  readonly ratePerCaller: number;
  /** Requests per minute of a confirmed terminal; another one counts against its address. */
  readonly ratePerTerminal: number;
}

/** An operation that nobody needs a credential for. */
export interface Anyone {
  readonly kind: 'anyone';
}
const anyone: Authenticated = { caller: { kind: 'anyone' } satisfies Anyone };

export function createAuthentication(
  needs: AuthenticationNeeds,
): (request: IncomingRequest) => Promise<Authenticated> | Authenticated {
  return (request) => {
    refuseLater(request.operation.id);
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
  { headers, at }: IncomingRequest,
): Promise<Authenticated> {
  const caller = await authenticateClient(db, headers.authorization, at);
  noteUse(caller.keyId, at);
  return { caller, bucket: { name: 'key', key: caller.extensionId, limit: ratePerCaller } };
}

async function authenticateBearer(
  needs: AuthenticationNeeds,
  { operation, headers, at }: IncomingRequest,
): Promise<Authenticated> {
  const authorization = headers.authorization;
  const alias = headers['x-api-key'];
  // Two credentials could mean two callers: nobody has to guess which one counts.
  if ((authorization === undefined) === (alias === undefined) || Array.isArray(alias))
    throw new Refusal('unauthorized');
  const text = alias ?? /^Bearer +([\x21-\x7e]+)$/i.exec(authorization!)?.[1];
  if (text === undefined) throw new Refusal('unauthorized');
  if (alias === undefined && text.startsWith('cpa_')) return authenticateToken(needs, text, operation, at);
  if (!accepts(operation, 'apiKey')) throw new Refusal('unauthorized');
  const extension = await authenticateKey(needs.db, text, at);
  needs.noteUse(extension.keyId, at);
  refuseWithoutRight(extension, operation, needs.extensionsEnabled);
  return { caller: extension, bucket: { name: 'key', key: extension.extensionId, limit: needs.ratePerCaller } };
}

async function authenticateToken(
  needs: AuthenticationNeeds,
  text: string,
  operation: OperationInfo,
  at: Instant,
): Promise<Authenticated> {
  if (!needs.extensionsEnabled || !accepts(operation, 'personalLink')) throw new Refusal('unauthorized');
  const link = await authenticateLink(needs.db, text, at);
  needs.noteLinkUse(link.linkId, at);
  refuseWithoutRight(link, operation, needs.extensionsEnabled);
  return { caller: link, bucket: { name: 'link', key: link.linkId, limit: needs.ratePerCaller } };
}

/** @throws Refusal `feature_disabled` writing for people is off; `insufficient_scope` */
function refuseWithoutRight(
  caller: ExtensionCaller | LinkCaller,
  { scope }: OperationInfo,
  extensionsEnabled: boolean,
): void {
  if (scope === null) return;
  if (scope.startsWith('write:') && !(extensionsEnabled && caller.peopleWrites)) throw new Refusal('feature_disabled');
  if (!caller.scopes.includes(scope as Scope)) throw new Refusal('insufficient_scope');
}
