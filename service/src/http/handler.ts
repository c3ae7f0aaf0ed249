/**
 * The arguments of a handler of either document: the request, its caller, and the parts of the service. The parts are
 * types alone, so that the earliest room may name those of the latest.
 */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { OperationRequest, OperationResponse } from '@clockproof/platform/http/operation';
import type { RateLimiter } from '@clockproof/platform/http/rate-limit';
import type { Visitor } from '../access/authenticate-person.js';
import type { IdentityProviders } from '../access/company-sign-in/provider.js';
import type { Cookies } from '../access/cookies.js';
import type { Live } from '../access/live.js';
import type { ClientCaller } from '../access/oauth/client.js';
import type { Passwords } from '../access/password.js';
import type { RelyingParty } from '../access/second-factor/webauthn.js';
import type { Connections } from '../extensions/socket/connections.js';
import type { Waiters } from '../extensions/waiters.js';
import type { SendWebhook } from '../extensions/webhooks/send.js';
import type { operations as AppOperations } from '../generated/app-types.js';
import type { appOperations, operations } from '../generated/contract.js';
import type { operations as ApiOperations } from '../generated/service-types.js';
import type { Anyone, ExtensionCaller, LinkCaller, PersonCaller } from '../people/caller.js';
import type { DataKey } from '../store/sealing/data-key.js';
import type { SealingKeys } from '../store/sealing/sealing-keys.js';
import type { Store } from '../store/write.js';
import type { HashCode } from '../terminals/pairing.js';
import type { TerminalCaller } from '../terminals/request-signature.js';
import type { Cursors } from './cursor.js';

/** The parts of the service that handlers use. */
export interface Parts {
  /** Writes only while the caller may. In a GET, its reads leave connections for other companies and end with it. */
  readonly db: Store;
  readonly cursors: Cursors;
  readonly version: string;
  readonly extensionsEnabled: boolean;
  /** BASE_URL: links that are shown begin with it, and it is the OAuth issuer. */
  readonly baseUrl: string;
  /** Absent if the installation has no DATA_KEY: then there are no badges. */
  readonly dataKey: DataKey | undefined;
  readonly sealingKeys: SealingKeys;
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS */
  readonly allowPrivateTargets: boolean;
  /** True if SMTP_URL is set. */
  readonly sendsMail: boolean;
  readonly limiter: RateLimiter;
  readonly randomBytes: RandomBytes;
  readonly connections: Connections;
  /** Requests that wait for events. */
  readonly waiters: Waiters;
  readonly sendWebhook: SendWebhook;
  /** Tells open pages of changes. */
  readonly live: Live;
  readonly passwords: Passwords;
  /** The relying party of passkeys. */
  readonly relyingParty: RelyingParty;
  readonly cookies: Cookies;
  readonly providers: IdentityProviders;
  readonly hashPairingCode: HashCode;
}

interface CallerOfScheme {
  readonly apiKey: ExtensionCaller;
  readonly apiKeyHeader: ExtensionCaller;
  readonly personalLink: LinkCaller;
  readonly terminalSignature: TerminalCaller;
  readonly clientBasic: ClientCaller;
}
type SchemeOf<Id extends keyof ApiOperations> = (typeof operations)[Id]['security'][number][number];
type ApiCallerOf<Id extends keyof ApiOperations> = [SchemeOf<Id>] extends [never]
  ? Anyone
  : CallerOfScheme[SchemeOf<Id>];
type AppCallerOf<Id extends keyof AppOperations> = (typeof appOperations)[Id]['role'] extends 'anyone'
  ? Visitor
  : PersonCaller;

type Handler<Operation, Request> = (
  request: Request,
) => Promise<OperationResponse<Operation>> | OperationResponse<Operation>;

/** A request of the public API, whose security says who its caller is. */
export type ApiRequest<Id extends keyof ApiOperations> = OperationRequest<ApiOperations[Id], ApiCallerOf<Id>> & Parts;
export type ApiHandler<Id extends keyof ApiOperations> = Handler<ApiOperations[Id], ApiRequest<Id>>;
export type ApiHandlers = { readonly [Id in keyof ApiOperations]: ApiHandler<Id> };

/** A request of the pages, whose role says who its caller is. */
export type AppRequest<Id extends keyof AppOperations> = OperationRequest<AppOperations[Id], AppCallerOf<Id>> & Parts;
export type AppHandler<Id extends keyof AppOperations> = Handler<AppOperations[Id], AppRequest<Id>>;
export type AppHandlers = { readonly [Id in keyof AppOperations]: AppHandler<Id> };
