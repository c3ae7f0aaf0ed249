/**
 * The edge: from bytes to a typed request, from an outcome to bytes. Operations are served straight from node:http;
 * what is no operation goes to `fallback`.
 *
 * The order, for every operation:
 *   match → size and kind of body → who is calling → limits → read body → (signed requests: who is calling, limits) → parse → validate → handler → answer
 * A refusal at any step is the same kind of answer, `{ error, code, request_id }`. Nothing before the handler changes a
 * row.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DatabaseUnavailable } from '../database/database.js';
import type { Log } from '../log.js';
import { ClientGone, decodeUtf8, parseJsonObject, readBody } from './body.js';
import { limitKey } from './client-address.js';
import {
  type Contract,
  loadContract,
  type OperationInfo,
  type RequestValidators,
  type ResponseValidators,
} from './contract.js';
import { readForm, readPathParameters, readQuery } from './parameters.js';
import type { LimitDecision, RateLimiter } from './rate-limit.js';
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

export interface Bucket {
  readonly name: string;
  readonly key: string;
  readonly limit: number;
}

export interface Authenticated {
  readonly caller: unknown;
  /** What this request counts against; without one it counts against the client address. */
  readonly bucket?: Bucket;
  /** The request has been counted in `bucket` already, and this came out. */
  readonly counted?: LimitDecision;
  /**
   * The caller is known, but may not do this. Thrown once the request has been counted: a good credential does not ask
   * more often by asking for what it may not have.
   */
  readonly refusal?: Refusal;
}

export interface Api {
  /** The bundled OpenAPI document. */
  readonly document: unknown;
  /** Generated from the document: what requests are held against. */
  readonly requests: RequestValidators;
  /** What answers are held against, loaded where `onContractBreach` asks for it. */
  readonly loadResponses?: () => Promise<ResponseValidators>;
  /** A handler per operationId, checked against the document at start. */
  readonly handlers: Readonly<Record<string, (request: never) => unknown>>;
  /**
   * Finds out who is calling. @throws Refusal with a code of status 401 (counted as a failed authentication) or 403.
   */
  readonly authenticate: (request: IncomingRequest) => Promise<Authenticated> | Authenticated;
  /** True if `authenticate` wants the body (a signature covers it). */
  readonly signed?: (operation: OperationInfo) => boolean;
  /**
   * Operations that try the secret of a person: while the client address has used up its failed authentications they
   * wait, right secrets included.
   */
  readonly waitsAfterFailures?: (operation: OperationInfo) => boolean;
  /**
   * Operations that read their query themselves, because its faults are answered in another way (RFC 6749 §4.1.2.1).
   */
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
  /**
   * Everything that is no operation: pages, static files. Not counted against any limit. Answers what it knows; false
   * leaves the request to a 404.
   */
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

/** What goes out, but for the headers that every answer has. */
interface Answer {
  readonly status: number;
  /** Names in lower case; they win over those of every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly serialised?: string;
}
/** A request on its way, and what its answer will say of it. Made whole, so that every step finds the same shape. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Pages of any origin may read the answer. */
  readonly readableAnywhere: boolean;
  /**
   * The limit that this request counted against last, and what is left of it (draft-ietf-httpapi-ratelimit-headers).
   */
  limit: { readonly policy: string; readonly left: string } | undefined;
}
/** A path that exists, asked with a method it does not have. */
interface Other {
  readonly allow: readonly string[];
  readonly readableAnywhere: boolean;
}
interface Served {
  readonly api: Api;
  readonly contract: Contract;
}

const json = 'application/json; charset=utf-8';
const noBody = Buffer.alloc(0);

/** @throws Error at start if an operation has no handler or a handler no operation. */
export async function createEdge(
  options: EdgeOptions,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const served: Served[] = [];
  for (const api of options.apis) {
    const responses = options.onContractBreach === undefined ? undefined : await api.loadResponses?.();
    const contract = loadContract(api.document, api.requests, responses);
    const missing = [...contract.operations.keys()].filter((id) => api.handlers[id] === undefined);
    const unknown = Object.keys(api.handlers).filter((id) => !contract.operations.has(id));
    if (missing.length + unknown.length > 0)
      throw new Error(
        `operations without handler: ${missing.join(', ')}; handlers without operation: ${unknown.join(', ')}`,
      );
    served.push({ api, contract });
  }
  const maxBodyBytes = options.maxBodyBytes ?? 256 * 1024;

  return (message, response) => {
    const target = message.url ?? '/';
    const question = target.indexOf('?');
    const path = pathOf(question < 0 ? target : target.slice(0, question));
    const method = message.method ?? 'GET';

    let other: Other | undefined;
    for (const at of served) {
      const match = at.contract.match(method, path);
      if (match.found === 'operation') {
        const operation = at.contract.operations.get(match.id)!;
        const exchange: Exchange = {
          message,
          response,
          requestId: options.newRequestId(),
          readableAnywhere: operation.method === 'GET' && at.api.crossOriginGet(operation),
          limit: undefined,
        };
        void serve(at, operation, match.path, question < 0 ? '' : target.slice(question + 1), exchange);
        return;
      }
      if (match.found === 'path') {
        const get = at.contract.match('GET', path);
        other = {
          allow: match.allow,
          readableAnywhere: get.found === 'operation' && at.api.crossOriginGet(at.contract.operations.get(get.id)!),
        };
      }
    }
    if (other === undefined) {
      const plain = options.routes?.[`${method === 'HEAD' ? 'GET' : method} ${path}`];
      if (plain !== undefined) return plain(message, response);
      if (options.fallback?.(message, response) === true) return;
    }
    refuseUnmatched(other, {
      message,
      response,
      requestId: options.newRequestId(),
      readableAnywhere: false,
      limit: undefined,
    });
  };

  async function serve(
    at: Served,
    operation: OperationInfo,
    pathValues: Readonly<Record<string, string>>,
    query: string,
    exchange: Exchange,
  ): Promise<void> {
    const started = performance.now();
    let answer: Answer;
    try {
      answer = await answerTo(at, operation, pathValues, query, exchange);
    } catch (error) {
      if (error instanceof ClientGone) return;
      answer = problemFor(error, at.api, operation, exchange.requestId);
    }
    if (options.onContractBreach !== undefined) {
      const breach = at.contract.checkResponse(operation.id, {
        status: answer.status,
        body: answer.body,
        headers: headersOf(exchange, answer, 0),
      });
      if (breach !== undefined) {
        options.onContractBreach(breach);
        answer = { status: 500, body: { error: breach, code: 'internal', request_id: exchange.requestId } };
      }
    }
    send(exchange, answer);
    const seconds = (performance.now() - started) / 1_000;
    options.observe?.(operation.id, answer.status, seconds);
    options.log.info(
      {
        operation: operation.id,
        status: answer.status,
        ms: Math.round(seconds * 1e5) / 100,
        request_id: exchange.requestId,
      },
      'request',
    );
  }

  async function answerTo(
    { api, contract }: Served,
    operation: OperationInfo,
    pathValues: Readonly<Record<string, string>>,
    query: string,
    exchange: Exchange,
  ): Promise<Answer> {
    const { message, requestId } = exchange;
    const at = options.clock();
    const incoming: Mutable<IncomingRequest> = {
      operation,
      method: message.method!,
      target: message.url!,
      headers: message.headers,
      rawHeaders: message.rawHeaders,
      rawBody: noBody,
      at,
      address: options.clientAddress(message),
      requestId,
    };
    if (api.waitsAfterFailures?.(operation) === true) await refuseWhileFailing(incoming, exchange);
    const signed = api.signed?.(operation) === true;
    let authenticated: Authenticated | undefined;
    // Where nothing has to be waited for, nothing is: every await costs a turn of the queue.
    if (!signed) {
      const admitting = admit(api, incoming, exchange);
      authenticated = admitting instanceof Promise ? await admitting : admitting;
    }
    const mediaType = refuseBodyByItsHeaders(operation, message, maxBodyBytes);
    const reading = readBody(message, maxBodyBytes);
    incoming.rawBody = reading instanceof Promise ? await reading : reading;
    authenticated ??= await admit(api, incoming, exchange);

    const body = parseBody(operation, mediaType, incoming.rawBody);
    const ownQuery = api.readsQuery?.(operation) === true;
    const parts = {
      path: readPathParameters(pathValues, operation.pathKinds),
      query: ownQuery ? {} : readQuery(query, operation.queryKinds),
      header: message.headers,
      ...(body === undefined ? {} : { requestBody: body }),
    };
    const fault = ownQuery ? undefined : contract.validate(operation.id, parts);
    if (fault !== undefined) throw new Refusal('invalid_request', { details: [fault] });

    const handler = api.handlers[operation.id] as (request: object) => Promise<Answer> | Answer;
    const asked = {
      caller: authenticated.caller,
      path: parts.path,
      query: parts.query,
      rawQuery: query,
      headers: message.headers,
      body,
      at,
      address: incoming.address,
      requestId,
    };
    try {
      return await handler(asked);
    } catch (error) {
      await countIfFailed(error, incoming, exchange);
      throw error;
    }
  }

  /**
   * Who is calling, and may they ask now. A failed authentication counts against the address; a good credential does
   * not care what its neighbours do.
   */
  function admit(api: Api, incoming: IncomingRequest, exchange: Exchange): Promise<Authenticated> | Authenticated {
    const counted = (authenticated: Authenticated): Promise<Authenticated> | Authenticated => {
      const bucket = authenticated.bucket ?? addressBucket(incoming.address);
      const counting =
        authenticated.counted === undefined
          ? count(bucket, incoming.at, exchange)
          : applyDecision(bucket, authenticated.counted, exchange);
      return counting === undefined ? admitted(authenticated) : counting.then(() => admitted(authenticated));
    };
    try {
      const authenticating = api.authenticate(incoming);
      const admitting = authenticating instanceof Promise ? authenticating.then(counted) : counted(authenticating);
      return admitting instanceof Promise
        ? admitting.catch((error: unknown) => turnAway(error, incoming, exchange))
        : admitting;
    } catch (error) {
      return turnAway(error, incoming, exchange);
    }
  }

  /** @throws always: what was wrong, or `rate_limited` where that was one time too many */
  async function turnAway(error: unknown, incoming: IncomingRequest, exchange: Exchange): Promise<never> {
    if (error instanceof Refusal && options.errors[error.code]?.status === 401)
      await count(addressBucket(incoming.address), incoming.at, exchange);
    await countIfFailed(error, incoming, exchange);
    throw error;
  }

  /** @throws Refusal `rate_limited` in place of the 401 that used up the last one */
  async function countIfFailed(error: unknown, { address, at }: IncomingRequest, exchange: Exchange): Promise<void> {
    if (!(error instanceof Refusal)) return;
    const failed =
      options.errors[error.code]?.status === 401
        ? error.options.nothingTried !== true
        : error.options.secretTried === true;
    if (!failed) return;
    await count({ name: 'failed', key: limitKey(address), limit: options.limits.failedAuthentications }, at, exchange);
  }

  async function refuseWhileFailing({ address, at }: IncomingRequest, exchange: Exchange): Promise<void> {
    const bucket = { name: 'failed', key: limitKey(address), limit: options.limits.failedAuthentications };
    const checking = options.limiter.check(bucket.name, bucket.key, bucket.limit, at);
    const decision = checking instanceof Promise ? await checking : checking;
    if (!decision.allowed) applyDecision(bucket, decision, exchange);
  }

  function addressBucket(address: string): Bucket {
    return { name: 'address', key: limitKey(address), limit: options.limits.perAddress };
  }

  function count(bucket: Bucket, at: number, exchange: Exchange): Promise<void> | undefined {
    const counting = options.limiter.consume(bucket.name, bucket.key, bucket.limit, at);
    return counting instanceof Promise
      ? counting.then((decision) => applyDecision(bucket, decision, exchange))
      : applyDecision(bucket, counting, exchange);
  }

  function refuseUnmatched(other: Other | undefined, exchange: Exchange): void {
    const { message, requestId } = exchange;
    const answer = (refusal: unknown) =>
      send(
        exchange,
        withHeaders(
          problemFor(refusal, undefined, undefined, requestId),
          other === undefined ? {} : { allow: [...other.allow, 'OPTIONS'].join(', ') },
        ),
      );
    const refuse = () => {
      // RFC 9110 §9.3.7 and the Fetch standard's preflight: a page may read, never write.
      if (other === undefined || message.method !== 'OPTIONS')
        return answer(new Refusal(other === undefined ? 'not_found' : 'method_not_allowed'));
      const preflight =
        other.readableAnywhere && message.headers['access-control-request-method'] === 'GET'
          ? {
              'access-control-allow-origin': '*',
              'access-control-allow-methods': 'GET',
              'access-control-allow-headers': 'authorization, x-api-key',
              'access-control-max-age': '600',
            }
          : {};
      send(exchange, { status: 204, headers: { allow: [...other.allow, 'OPTIONS'].join(', '), ...preflight } });
    };
    try {
      const counting = count(addressBucket(options.clientAddress(message)), options.clock(), exchange);
      if (counting === undefined) refuse();
      else counting.then(refuse).catch(answer);
    } catch (refusal) {
      answer(refusal);
    }
  }

  function problemFor(
    error: unknown,
    api: Api | undefined,
    operation: OperationInfo | undefined,
    requestId: string,
  ): Answer {
    const refusal =
      error instanceof Refusal && options.errors[error.code] !== undefined
        ? error
        : error instanceof DatabaseUnavailable
          ? new Refusal('unavailable', { headers: { 'retry-after': '1' } })
          : new Refusal('internal');
    if (refusal !== error)
      options.log.error({ err: error, request_id: requestId, operation: operation?.id }, 'request failed');
    else if (refusal.options.reason !== undefined)
      options.log.warn({ code: refusal.code, reason: refusal.options.reason, request_id: requestId }, 'refused');
    const { status, error: sentence } = options.errors[refusal.code]!;
    const headers = {
      ...(status === 401 && api !== undefined && operation !== undefined
        ? { 'www-authenticate': api.challenge(operation) }
        : {}),
      ...refusal.options.headers,
    };
    const problem: Problem = {
      error: sentence,
      code: refusal.code,
      request_id: requestId,
      ...(refusal.options.details === undefined ? {} : { details: refusal.options.details }),
      ...refusal.options.extra,
    };
    return {
      status,
      headers,
      body:
        operation !== undefined && api?.presentProblem !== undefined ? api.presentProblem(problem, operation) : problem,
    };
  }
}

/** @throws Refusal what the caller may not do */
function admitted(authenticated: Authenticated): Authenticated {
  if (authenticated.refusal !== undefined) throw authenticated.refusal;
  return authenticated;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Notes what is left of a limit. @throws Refusal `rate_limited` */
function applyDecision(
  { name, limit }: Bucket,
  { allowed, remaining, resetSeconds }: LimitDecision,
  exchange: Exchange,
): undefined {
  exchange.limit = { policy: `"${name}";q=${limit};w=60`, left: `"${name}";r=${remaining};t=${resetSeconds}` };
  if (!allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
}

/** RFC 9112 §3.2.2: a server accepts the absolute form too; only its path counts, never its host. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  return /^https?:\/\/[^/]*(\/.*)?$/i.exec(target)?.[1] ?? target;
}

function refuseBodyByItsHeaders(operation: OperationInfo, message: IncomingMessage, maxBytes: number): string {
  const { headers } = message;
  const length = headers['content-length'];
  if (length !== undefined && Number(length) > maxBytes) throw new Refusal('payload_too_large');
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw new Refusal('unsupported_media_type');
  const [mediaType = '', ...more] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = more
    .find((part) => part.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (charset !== undefined && charset !== 'utf-8') throw new Refusal('unsupported_media_type');
  const empty = (length === undefined || length === '0') && headers['transfer-encoding'] === undefined;
  if (!empty && operation.body !== undefined && !operation.body.mediaTypes.includes(mediaType))
    throw new Refusal('unsupported_media_type');
  return mediaType;
}

function parseBody(operation: OperationInfo, mediaType: string, raw: Buffer): Record<string, unknown> | undefined {
  if (raw.length === 0) {
    // An operation whose body is an object of optional members may be sent nothing at all.
    return undefined;
  }
  if (operation.body === undefined)
    throw new Refusal('invalid_request', {
      details: [{ field: 'body', code: 'unexpected_body', error: 'This operation takes no body.' }],
    });
  return mediaType === 'application/x-www-form-urlencoded' ? readForm(decodeUtf8(raw)) : parseJsonObject(raw);
}

/**
 * Names and values in turn, as they go out: a list is cheaper for node:http than an object, and this runs for every
 * answer.
 */
function headerLines(
  { message, requestId, readableAnywhere, limit }: Exchange,
  { status, headers = {}, body }: Answer,
  bytes: number,
): string[] {
  const lines = ['x-content-type-options', 'nosniff', 'x-request-id', requestId];
  if (readableAnywhere) lines.push('access-control-allow-origin', '*');
  if (limit !== undefined) lines.push('ratelimit-policy', limit.policy, 'ratelimit', limit.left);
  if (headers['cache-control'] === undefined) lines.push('cache-control', 'no-store');
  if (body !== undefined && headers['content-type'] === undefined) lines.push('content-type', json);
  for (const name in headers) lines.push(name, headers[name]!);
  if (status !== 204 && status !== 304) lines.push('content-length', String(bytes));
  // The rest of a body nobody will read would be taken for the next request.
  if (!message.complete) lines.push('connection', 'close');
  return lines;
}

function headersOf(exchange: Exchange, answer: Answer, bytes: number): Readonly<Record<string, string>> {
  const lines = headerLines(exchange, answer, bytes);
  return Object.fromEntries(
    Array.from({ length: lines.length / 2 }, (_, index) => [lines[2 * index]!, lines[2 * index + 1]!]),
  );
}

function withHeaders(answer: Answer, headers: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function send(exchange: Exchange, answer: Answer): void {
  const { message, response } = exchange;
  if (response.destroyed) return;
  const { status, body, serialised } = answer;
  const payload =
    serialised ??
    (body === undefined ? '' : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  const bytes = Buffer.byteLength(payload);
  response.writeHead(status, headerLines(exchange, answer, bytes));
  if (message.method === 'HEAD' || bytes === 0) response.end();
  // Text of ASCII alone is the same bytes in Latin-1, which are copied instead of encoded.
  else response.end(payload, bytes === payload.length ? 'latin1' : 'utf8');
}
