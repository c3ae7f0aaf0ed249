/**
 * The edge: from bytes to a typed request, from an outcome to bytes. Operations are served straight from node:http; what is no operation goes to `fallback`.
 *
 * The order, for every operation:
 *   match → size and kind of body → who is calling → limits → read body → (signed requests: who is calling, limits) → parse → validate → handler → answer
 * A refusal at any step is the same kind of answer, `{ error, code, request_id }`. Nothing before the handler changes a row.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DatabaseUnavailable } from '../database/database.js';
import type { Log } from '../log.js';
import { ClientGone, decodeUtf8, parseJsonObject, readBody } from './body.js';
import { loadContract, type Contract, type OperationInfo } from './contract.js';
import { readForm, readPathParameters, readQuery } from './parameters.js';
import { limitKey } from './client-address.js';
import type { RateLimiter, Taken } from './rate-limit.js';
import { Refusal, type RefusalDetail } from './refusal.js';

/** A request before anybody knows what it means. */
export interface IncomingRequest {
  readonly operation: OperationInfo;
  readonly method: string;
  /** The request target as sent, query included. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  /** Name and value of every header line, as sent: tells a doubled header from one value. */
  readonly rawHeaders: readonly string[];
  /** The body as received; empty until it has been read. */
  readonly rawBody: Buffer;
  readonly at: number;
  readonly address: string;
  readonly requestId: string;
}

export interface Bucket { readonly name: string; readonly key: string; readonly limit: number }

export interface Authenticated {
  readonly caller: unknown;
  /** What this request counts against; without one it counts against the client address. */
  readonly bucket?: Bucket;
}

export interface Api {
  /** The bundled OpenAPI document. */
  readonly document: unknown;
  /** A handler per operationId, checked against the document at start. */
  readonly handlers: Readonly<Record<string, (request: never) => unknown>>;
  /** Finds out who is calling. @throws Refusal with a code of status 401 (counted as a failed authentication) or 403. */
  readonly authenticate: (request: IncomingRequest) => Promise<Authenticated> | Authenticated;
  /** True if `authenticate` wants the body (a signature covers it). */
  readonly signed?: (operation: OperationInfo) => boolean;
  /** Operations that try the secret of a person: while the client address has used up its failed authentications they wait, right secrets included. */
  readonly waitsAfterFailures?: (operation: OperationInfo) => boolean;
  /** Operations that read their query themselves, because its faults are answered in another way (RFC 6749 §4.1.2.1). */
  readonly readsQuery?: (operation: OperationInfo) => boolean;
  /** `WWW-Authenticate` of a 401. */
  readonly challenge: (operation: OperationInfo) => string;
  /** Operations whose GET answers pages of any origin may read (never with credentials). */
  readonly crossOriginGet: (operation: OperationInfo) => boolean;
  /** Another shape of error body than `Problem` (RFC 6749 under /oauth). */
  readonly presentProblem?: (problem: Problem, operation: OperationInfo) => object;
}

export interface Problem {
  readonly error: string;
  readonly code: string;
  readonly request_id: string;
  readonly details?: readonly RefusalDetail[];
}

export interface EdgeOptions {
  readonly apis: readonly Api[];
  /** Every code of the contract with its status and sentence. */
  readonly errors: Readonly<Record<string, { readonly status: number; readonly error: string }>>;
  /** Everything that is no operation: pages, static files. Not counted against any limit. Answers what it knows; false leaves the request to a 404. */
  readonly fallback?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Plain routes beside the contract (health, metrics), by `GET /path`. Not counted against any limit. */
  readonly routes?: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly newRequestId: () => string;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly limiter: RateLimiter;
  readonly limits: { readonly perAddress: number; readonly failedAuthentications: number };
  readonly maxBodyBytes?: number;
  /** Called for every finished operation, with its duration in seconds. */
  readonly observe?: (operationId: string, status: number, seconds: number) => void;
  /** Tests: every answer is held against the document, and what differs is reported here and answered with 500. */
  readonly onContractBreach?: (breach: string) => void;
}

interface Answer { status: number; headers: Record<string, string | number>; body: unknown; serialised?: string }
/** A path that exists, asked with a method it does not have. */
interface Other { readonly allow: readonly string[]; readonly readableAnywhere: boolean }
interface Served { readonly api: Api; readonly contract: Contract }

const nosniff = { 'x-content-type-options': 'nosniff' } as const;
const json = 'application/json; charset=utf-8';
const noBody = Buffer.alloc(0);

/** @throws Error at start if an operation has no handler or a handler no operation. */
export async function createEdge(options: EdgeOptions): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const served: Served[] = [];
  for (const api of options.apis) {
    const contract = await loadContract(api.document);
    const missing = [...contract.operations.keys()].filter((id) => api.handlers[id] === undefined);
    const unknown = Object.keys(api.handlers).filter((id) => !contract.operations.has(id));
    if (missing.length + unknown.length > 0) throw new Error(`operations without handler: ${missing.join(', ')}; handlers without operation: ${unknown.join(', ')}`);
    contract.warm();
    served.push({ api, contract });
  }
  const maxBodyBytes = options.maxBodyBytes ?? 256 * 1024;

  return (message, response) => {
    const target = message.url ?? '/';
    const question = target.indexOf('?');
    const path = pathOf(question < 0 ? target : target.slice(0, question));
    const method = message.method ?? 'GET';
    const plain = options.routes?.[`${method === 'HEAD' ? 'GET' : method} ${path}`];
    if (plain !== undefined) return plain(message, response);

    let other: Other | undefined;
    for (const { api, contract } of served) {
      const match = contract.match(method, path);
      if (match.found === 'operation') {
        const operation = contract.operations.get(match.id)!;
        void serve({ api, contract }, operation, match.path, question < 0 ? '' : target.slice(question + 1), message, response);
        return;
      }
      if (match.found === 'path') {
        const get = contract.match('GET', path);
        other = { allow: match.allow, readableAnywhere: get.found === 'operation' && api.crossOriginGet(contract.operations.get(get.id)!) };
      }
    }
    if (other === undefined && options.fallback?.(message, response) === true) return;
    void refuseUnmatched(other, message, response);
  };

  async function serve(at: Served, operation: OperationInfo, pathValues: Readonly<Record<string, string>>, query: string, message: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const requestId = options.newRequestId();
    const headers: Record<string, string | number> = { ...nosniff, 'x-request-id': requestId, 'cache-control': 'no-store' };
    if (operation.method === 'GET' && at.api.crossOriginGet(operation)) headers['access-control-allow-origin'] = '*';
    let answer: Answer;
    try {
      answer = await answerTo(at, operation, pathValues, query, message, requestId, headers);
    } catch (error) {
      if (error instanceof ClientGone) return;
      answer = problemFor(error, at.api, operation, requestId, headers);
    }
    const breach = options.onContractBreach && at.contract.checkResponse(operation.id, answer);
    if (breach !== undefined) {
      options.onContractBreach!(breach);
      answer = { status: 500, headers: { ...headers, 'content-type': json }, body: { error: breach, code: 'internal', request_id: requestId } };
    }
    send(message, response, answer);
    const seconds = (performance.now() - started) / 1_000;
    options.observe?.(operation.id, answer.status, seconds);
    options.log.info({ operation: operation.id, status: answer.status, ms: Math.round(seconds * 1e5) / 100, request_id: requestId }, 'request');
  }

  async function answerTo(
    { api, contract }: Served, operation: OperationInfo, pathValues: Readonly<Record<string, string>>, query: string, message: IncomingMessage, requestId: string, headers: Record<string, string | number>,
  ): Promise<Answer> {
    const at = options.clock();
    const incoming: Mutable<IncomingRequest> = {
      operation, method: message.method!, target: message.url!, headers: message.headers, rawHeaders: message.rawHeaders, rawBody: noBody, at, address: options.clientAddress(message), requestId,
    };
    if (api.waitsAfterFailures?.(operation) === true) await refuseWhileFailing(incoming.address, at, headers);
    const signed = api.signed?.(operation) === true;
    let authenticated: Authenticated | undefined;
    if (!signed) authenticated = await admit(api, incoming, headers);
    const mediaType = refuseBodyByItsHeaders(operation, message, maxBodyBytes);
    const reading = readBody(message, maxBodyBytes);
    incoming.rawBody = reading instanceof Promise ? await reading : reading;
    authenticated ??= await admit(api, incoming, headers);

    const body = parseBody(operation, mediaType, incoming.rawBody);
    const ownQuery = api.readsQuery?.(operation) === true;
    const parts = { path: readPathParameters(pathValues, operation.pathKinds), query: ownQuery ? {} : readQuery(query, operation.queryKinds), header: message.headers, ...(body === undefined ? {} : { requestBody: body }) };
    const fault = ownQuery ? undefined : contract.validate(operation.id, parts);
    if (fault !== undefined) throw new Refusal('invalid_request', { details: [fault] });

    const handler = api.handlers[operation.id] as (request: object) => Promise<{ status: number; headers?: Record<string, string>; body?: unknown; serialised?: string }>;
    const asked = { caller: authenticated.caller, path: parts.path, query: parts.query, rawQuery: query, headers: message.headers, body, at, address: incoming.address, requestId };
    let result;
    try {
      result = await handler(asked);
    } catch (error) {
      await countIfFailed(error, incoming.address, at, headers);
      throw error;
    }
    if (result.body !== undefined) headers['content-type'] = json;
    if (result.headers !== undefined) Object.assign(headers, result.headers);
    return { status: result.status, headers, body: result.body, ...(result.serialised === undefined ? {} : { serialised: result.serialised }) };
  }

  /** Who is calling, and may they ask now. A failed authentication counts against the address; a good credential does not care what its neighbours do. */
  async function admit(api: Api, incoming: IncomingRequest, headers: Record<string, string | number>): Promise<Authenticated> {
    const { address, at } = incoming;
    try {
      // Where nothing has to be waited for, nothing is: every await costs a turn of the queue.
      const authenticating = api.authenticate(incoming);
      const authenticated = authenticating instanceof Promise ? await authenticating : authenticating;
      const counting = count(authenticated.bucket ?? { name: 'address', key: limitKey(address), limit: options.limits.perAddress }, at, headers);
      if (counting !== undefined) await counting;
      return authenticated;
    } catch (error) {
      if (error instanceof Refusal && options.errors[error.code]?.status === 401) await count({ name: 'address', key: limitKey(address), limit: options.limits.perAddress }, at, headers);
      await countIfFailed(error, address, at, headers);
      throw error;
    }
  }

  /** @throws Refusal `rate_limited` in place of the 401 that used up the last one */
  async function countIfFailed(error: unknown, address: string, at: number, headers: Record<string, string | number>): Promise<void> {
    if (!(error instanceof Refusal)) return;
    const failed = options.errors[error.code]?.status === 401 ? error.options.nothingTried !== true : error.options.secretTried === true;
    if (!failed) return;
    await count({ name: 'failed', key: limitKey(address), limit: options.limits.failedAuthentications }, at, headers);
  }

  async function refuseWhileFailing(address: string, at: number, headers: Record<string, string | number>): Promise<void> {
    const looking = options.limiter.peek('failed', limitKey(address), options.limits.failedAuthentications, at);
    const { allowed, resetSeconds } = looking instanceof Promise ? await looking : looking;
    if (allowed) return;
    headers['ratelimit-policy'] = `"failed";q=${options.limits.failedAuthentications};w=60`;
    headers['ratelimit'] = `"failed";r=0;t=${resetSeconds}`;
    throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
  }

  function count(bucket: Bucket, at: number, headers: Record<string, string | number>): Promise<void> | undefined {
    const judge = (taken: Taken): undefined => {
      headers['ratelimit-policy'] = `"${bucket.name}";q=${bucket.limit};w=60`;
      headers['ratelimit'] = `"${bucket.name}";r=${taken.remaining};t=${taken.resetSeconds}`;
      if (!taken.allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(taken.resetSeconds) } });
    };
    const taking = options.limiter.take(bucket.name, bucket.key, bucket.limit, at);
    return taking instanceof Promise ? taking.then(judge) : judge(taking);
  }

  async function refuseUnmatched(other: Other | undefined, message: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = options.newRequestId();
    const headers: Record<string, string | number> = { ...nosniff, 'x-request-id': requestId, 'cache-control': 'no-store' };
    let refusal: unknown = new Refusal(other === undefined ? 'not_found' : 'method_not_allowed');
    try {
      await count({ name: 'address', key: limitKey(options.clientAddress(message)), limit: options.limits.perAddress }, options.clock(), headers);
      if (other !== undefined) {
        headers['allow'] = [...other.allow, 'OPTIONS'].join(', ');
        // RFC 9110 §9.3.7 and the Fetch standard's preflight: a page may read, never write.
        if (message.method === 'OPTIONS') {
          if (other.readableAnywhere && message.headers['access-control-request-method'] === 'GET') {
            Object.assign(headers, { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET', 'access-control-allow-headers': 'authorization, x-api-key', 'access-control-max-age': '600' });
          }
          return send(message, response, { status: 204, headers, body: undefined });
        }
      }
    } catch (error) {
      refusal = error;
    }
    send(message, response, problemFor(refusal, undefined, undefined, requestId, headers));
  }

  function problemFor(error: unknown, api: Api | undefined, operation: OperationInfo | undefined, requestId: string, headers: Record<string, string | number>): Answer {
    const refusal = error instanceof Refusal && options.errors[error.code] !== undefined ? error
      : error instanceof DatabaseUnavailable ? new Refusal('unavailable', { headers: { 'retry-after': '1' } })
        : new Refusal('internal');
    if (refusal !== error) options.log.error({ err: error, request_id: requestId, operation: operation?.id }, 'request failed');
    else if (refusal.options.reason !== undefined) options.log.warn({ code: refusal.code, reason: refusal.options.reason, request_id: requestId }, 'refused');
    const { status, error: sentence } = options.errors[refusal.code]!;
    if (status === 401 && api !== undefined && operation !== undefined) headers['www-authenticate'] = api.challenge(operation);
    Object.assign(headers, refusal.options.headers, { 'content-type': json, 'cache-control': 'no-store' });
    const problem: Problem = {
      error: sentence, code: refusal.code, request_id: requestId,
      ...(refusal.options.details === undefined ? {} : { details: refusal.options.details }),
      ...refusal.options.extra,
    };
    return { status, headers, body: operation !== undefined && api?.presentProblem !== undefined ? api.presentProblem(problem, operation) : problem };
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** RFC 9112 §3.2.2: a server accepts the absolute form too; only its path counts, never its host. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  return /^https?:\/\/[^/]*(\/.*)?$/i.exec(target)?.[1] ?? target;
}

function refuseBodyByItsHeaders(operation: OperationInfo, message: IncomingMessage, maxBytes: number): string {
  const { headers } = message;
  const length = headers['content-length'];
  if (length !== undefined && Number(length) > maxBytes) throw new Refusal('payload_too_large');
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') throw new Refusal('unsupported_media_type');
  const [mediaType = '', ...more] = (headers['content-type'] ?? '').toLowerCase().split(';').map((part) => part.trim());
  const charset = more.find((part) => part.startsWith('charset='))?.slice('charset='.length).replaceAll('"', '');
  if (charset !== undefined && charset !== 'utf-8') throw new Refusal('unsupported_media_type');
  const empty = (length === undefined || length === '0') && headers['transfer-encoding'] === undefined;
  if (!empty && operation.body !== undefined && !operation.body.mediaTypes.includes(mediaType)) throw new Refusal('unsupported_media_type');
  return mediaType;
}

function parseBody(operation: OperationInfo, mediaType: string, raw: Buffer): Record<string, unknown> | undefined {
  if (raw.length === 0) {
    // An operation whose body is an object of optional members may be sent nothing at all.
    return undefined;
  }
  if (operation.body === undefined) throw new Refusal('invalid_request', { details: [{ field: 'body', code: 'unexpected_body', error: 'This operation takes no body.' }] });
  return mediaType === 'application/x-www-form-urlencoded' ? readForm(decodeUtf8(raw)) : parseJsonObject(raw);
}

function send(message: IncomingMessage, response: ServerResponse, { status, headers, body, serialised }: Answer): void {
  if (response.destroyed) return;
  const payload = serialised ?? (body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  if (payload !== undefined) headers['content-length'] = Buffer.byteLength(payload);
  else if (status !== 204 && status !== 304) headers['content-length'] = 0;
  // The rest of a body nobody will read would be taken for the next request.
  if (!message.complete) headers['connection'] = 'close';
  response.writeHead(status, headers);
  response.end(message.method === 'HEAD' ? undefined : payload);
}
