/**
 * A product's part of the application: documents with their handlers, authentication, and parts shared by all handlers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reader } from '../database/database.js';
import type { Log } from '../log.js';
import type { OperationInfo } from './operations.js';
import type { MountPages } from './pages.js';
import type { LimitDecision, RateLimiter } from './rate-limit.js';
import type { Refusal, RefusalDetail } from './refusal.js';

/** A request before its meaning is known. */
export interface IncomingRequest {
  readonly operation: OperationInfo;
  readonly method: string;
  /** The request target as sent, query included. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  /** Name and value of every header line, as sent: tells a doubled header from one value. */
  readonly rawHeaders: readonly string[];
  /** The body as received. */
  readonly rawBody: Buffer;
  readonly at: number;
  readonly address: string;
  readonly requestId: string;
}

export interface Bucket {
  readonly name: string;
  readonly key: string;
  readonly limit: number;
}

/**
 * Asks again, inside of the writing transaction, whether the caller may still do this, and keeps the answer true until
 * the transaction ends. @throws Refusal
 */
export type Authorize = (transaction: Reader) => Promise<void>;

export interface Authenticated {
  readonly caller: unknown;
  /** The limit that this request counts against; without one it counts against the client address. */
  readonly bucket?: Bucket;
  /** The decision, if the request has already been counted in `bucket`. */
  readonly counted?: LimitDecision | undefined;
  /**
   * The caller is known, but may not do this. Thrown once the request has been counted: a good credential gets no more
   * requests by asking for forbidden things.
   */
  readonly refusal?: Refusal;
  readonly authorize?: Authorize;
}

export interface Api {
  /** The bundled OpenAPI document. */
  readonly document: object;
  /** A handler per operationId, checked against the document at start. */
  readonly handlers: Readonly<Record<string, (request: never) => unknown>>;
  /** Finds the caller. @throws Refusal with a code of status 401 (counted as a failed authentication) or 403 */
  readonly authenticate: (request: IncomingRequest) => Promise<Authenticated> | Authenticated;
  /**
   * Operations that try the secret of a person: while the client address has used up its failed authentications they
   * wait, right secrets included.
   */
  readonly waitsAfterFailures?: (operation: OperationInfo) => boolean;
  /**
   * Operations that read their query themselves, because its faults are answered in another way (RFC 6749 §4.1.2.1).
   */
  readonly readsQuery?: (operation: OperationInfo) => boolean;
  /** The kind of the tried credential, for the security log. */
  readonly credentialOf?: (request: IncomingRequest) => string;
  /** `WWW-Authenticate` of a 401. */
  readonly challenge: (operation: OperationInfo, headers: IncomingMessage['headers']) => string;
  /** Operations whose GET answers pages of any origin may read (never with credentials). */
  readonly crossOriginGet: (operation: OperationInfo) => boolean;
  /** Another shape of error body than `Problem` (RFC 6749 under /oauth). */
  readonly presentProblem?: (problem: Problem, operation: OperationInfo) => object;
}

export interface Problem {
  readonly error: string;
  readonly code: string;
  readonly request_id: string;
  readonly doc_url?: string;
  readonly details?: readonly RefusalDetail[];
}

export interface AppOptions {
  readonly apis: readonly Api[];
  /** Every code of the contract with its status and sentence. */
  readonly errors: Readonly<Record<string, { readonly status: number; readonly error: string }>>;
  /** Address of the page that explains the codes, each under its own name; undefined while there is none. */
  readonly errorPage?: () => string | undefined;
  /** Pages, files and documents. Not counted against any limit. */
  readonly mountPages?: MountPages;
  /** Answers of plain addresses beside the contract to GET (health). Not counted against any limit. */
  readonly routes?: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly newRequestId: () => string;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly limiter: RateLimiter;
  readonly limits: { readonly perAddress: number; readonly failedAuthentications: number };
  readonly maxBodyBytes?: number;
  /** BASE_URL is https: browsers must use https only (RFC 6797). */
  readonly httpsOnly?: boolean;
  /** Called for every finished operation, with its duration in seconds. */
  readonly observe?: (operationId: string, status: number, seconds: number) => void;
  /** Tests: every answer is held against the document; a difference is reported here and answered with 500. */
  readonly onContractBreach?: ((breach: string) => void) | undefined;
}
