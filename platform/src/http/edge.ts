/**
 * The edge: from bytes to a typed request, from an outcome to bytes. Operations are served straight from node:http;
 * what is no operation goes to `fallback`.
 *
 * The order, for every operation:
 *   match → size and kind of body → who is calling → limits → read body → (signed requests: who is calling, limits) → parse → validate → handler → answer
 * A refusal at any step is the same kind of answer, `{ error, code, request_id }`. Nothing before the handler changes a
 * row.
 */
import type { IncomingMessage } from 'node:http';
import { createAdmission } from './admission.js';
import type { Api, EdgeOptions, IncomingRequest } from './api.js';
import { ClientGone, mediaTypeOf, normalizeNames, parseBody, readBody } from './body.js';
import { type Contract, loadContract, type OperationInfo } from './contract.js';
import {
  type Answer,
  createProblems,
  type Exchange,
  headersOf,
  send,
  strictTransportSecurity,
  withHeaders,
} from './exchange.js';
import { Refusal } from './refusal.js';
import { readPathParameters, readQuery } from './request-target.js';
import type { Listener } from './server.js';
import { acceptHandshake } from './upgrade.js';

/** A path that exists, asked with a method it does not have. */
interface OtherMethods {
  readonly allow: readonly string[];
  readonly readableAnywhere: boolean;
}
interface Served {
  readonly api: Api;
  readonly contract: Contract;
}
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const noBody = Buffer.alloc(0);

/** @throws Error at start if an operation has no handler or a handler no operation. */
export async function createEdge(options: EdgeOptions): Promise<Listener> {
  const served = await Promise.all(options.apis.map((api) => serveApi(api, options.onContractBreach !== undefined)));
  const maxBodyBytes = options.maxBodyBytes ?? 256 * 1024;
  const httpsOnly = options.httpsOnly === true;
  const { admit, refuseWhileFailing, countIfFailed, countAddress } = createAdmission(options);
  const problemFor = createProblems(options);

  return (message, response, upgrade) => {
    const target = message.url ?? '/';
    const question = target.indexOf('?');
    const path = pathOf(question < 0 ? target : target.slice(0, question));
    const method = message.method ?? 'GET';
    const exchange = (readableAnywhere: boolean): Exchange => ({
      message,
      response,
      upgrade,
      requestId: options.newRequestId(),
      readableAnywhere,
      httpsOnly,
      limit: undefined,
    });

    let other: OtherMethods | undefined;
    for (const at of served) {
      const match = at.contract.match(method, path);
      if (match.found === 'operation') {
        const operation = at.contract.operations.get(match.id)!;
        const readableAnywhere = operation.method === 'GET' && at.api.crossOriginGet(operation);
        const query = question < 0 ? '' : target.slice(question + 1);
        const ended = options.begin?.(operation);
        void serve(at, operation, match.path, query, exchange(readableAnywhere)).finally(ended);
        return;
      }
      if (match.found === 'path') other = { allow: match.allow, readableAnywhere: isReadableAnywhere(at, path) };
    }
    if (other === undefined) {
      if (httpsOnly) response.setHeader('strict-transport-security', strictTransportSecurity);
      const plain = options.routes?.[`${method === 'HEAD' ? 'GET' : method} ${path}`];
      if (plain !== undefined) return plain(message, response);
      // Nothing here echoes a request (RFC 9110 §9.3.8), and these addresses are read.
      if (method === 'TRACE' || options.routes?.[`GET ${path}`] !== undefined)
        return refuseUnmatched({ allow: ['GET', 'HEAD'], readableAnywhere: false }, exchange(false));
      if (options.fallback !== undefined)
        return options.fallback(message, response, (error) => refuseUnmatched(undefined, exchange(false), error));
    }
    refuseUnmatched(other, exchange(false));
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
      if (error instanceof ClientGone) return void exchange.message.socket.destroy();
      answer = problemFor(error, { api: at.api, operation }, exchange.message, exchange.requestId);
    }
    if (options.onContractBreach !== undefined && answer.opened === undefined) {
      const { status } = answer;
      // What a stream will say is checked by its tests.
      const body = answer.stream === undefined ? answer.body : '';
      const breach = at.contract.checkResponse(operation.id, { status, body, headers: headersOf(exchange, answer) });
      if (breach !== undefined) {
        options.onContractBreach(breach);
        answer = { status: 500, body: { error: breach, code: 'internal', request_id: exchange.requestId } };
      }
    }
    if (answer.opened === undefined) send(exchange, answer);
    else
      acceptHandshake(
        exchange.message,
        exchange.response,
        exchange.upgrade!,
        [`x-request-id: ${exchange.requestId}`],
        answer.opened,
      );
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
    if (api.waitsAfterFailures?.(operation) === true) await refuseWhileFailing(api, incoming, exchange);
    const takeBody = (): Promise<string> | string => {
      const mediaType = mediaTypeOf(operation, message, maxBodyBytes);
      const taken = (body: Buffer) => {
        incoming.rawBody = body;
        return mediaType;
      };
      const reading = readBody(message, maxBodyBytes);
      return reading instanceof Promise ? reading.then(taken) : taken(reading);
    };
    const ownQuery = api.readsQuery?.(operation) === true;
    const parse = (mediaType: string) => {
      const body = parseBody(mediaType, incoming.rawBody);
      if (body !== undefined) normalizeNames(body, operation.names);
      const parts = {
        path: readPathParameters(pathValues, operation.pathKinds),
        query: ownQuery ? {} : readQuery(query, operation.queryKinds),
        header: message.headers,
        ...(body === undefined ? {} : { requestBody: body }),
      };
      const fault = ownQuery ? undefined : contract.validate(operation.id, parts);
      if (fault !== undefined) throw new Refusal('invalid_request', { details: [fault] });
      return parts;
    };

    // A signature covers the body, so it is checked after the body is there.
    const isSigned = api.signed?.(operation) === true;
    const early = isSigned ? undefined : await admit(api, incoming, exchange);
    const mediaType = await takeBody();
    const authenticated = early ?? (await admit(api, incoming, exchange));
    const parts = parse(mediaType);

    let signal: AbortSignal | undefined;
    const handler = api.handlers[operation.id] as (request: object) => Promise<Answer> | Answer;
    const asked = {
      caller: authenticated.caller,
      path: parts.path,
      query: parts.query,
      rawQuery: query,
      headers: message.headers,
      body: parts.requestBody,
      at,
      address: incoming.address,
      requestId,
      get signal() {
        signal ??= abortedWhenGone(exchange);
        return signal;
      },
      isHandshake: exchange.upgrade !== undefined,
    };
    try {
      return await handler(asked);
    } catch (error) {
      await countIfFailed(error, api, incoming, exchange);
      throw error;
    }
  }

  /**
   * 404, 405, or the answer to OPTIONS; counted like any request without a credential.
   * @param error what a page failed with
   */
  function refuseUnmatched(other: OtherMethods | undefined, exchange: Exchange, error?: unknown): void {
    const { message, requestId } = exchange;
    const allow = other === undefined ? {} : { allow: [...other.allow, 'OPTIONS'].join(', ') };
    const refuse = (refusal: unknown) =>
      send(exchange, withHeaders(problemFor(refusal, undefined, message, requestId), allow));
    const answer = () => {
      if (other === undefined) return refuse(error ?? new Refusal('not_found'));
      if (message.method !== 'OPTIONS') return refuse(new Refusal('method_not_allowed'));
      send(exchange, { status: 204, headers: { ...allow, ...preflight(other, message) } });
    };
    try {
      const counting = countAddress(options.clientAddress(message), options.clock(), exchange);
      if (counting === undefined) answer();
      else counting.then(answer).catch(refuse);
    } catch (refusal) {
      refuse(refusal);
    }
  }
}

/**
 * A signal that is aborted when the client closes its side or the connection before the answer is sent. A client that
 * only closes its side cannot be told from one that left.
 */
function abortedWhenGone({ message: { socket }, response }: Exchange): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new ClientGone('the client left'));
  if (socket.readableEnded) abort();
  socket.once('end', abort);
  response.once('close', () => {
    socket.off('end', abort);
    if (!response.writableFinished) abort();
  });
  return controller.signal;
}

async function serveApi(api: Api, checksAnswers: boolean): Promise<Served> {
  const contract = loadContract(api.document, api.requests, checksAnswers ? await api.loadResponses?.() : undefined);
  const missing = [...contract.operations.keys()].filter((id) => api.handlers[id] === undefined);
  const unknown = Object.keys(api.handlers).filter((id) => !contract.operations.has(id));
  if (missing.length + unknown.length > 0)
    throw new Error(
      `operations without handler: ${missing.join(', ')}; handlers without operation: ${unknown.join(', ')}`,
    );
  return { api, contract };
}

/** RFC 9112 §3.2.2: a server accepts the absolute form too; only its path counts, never its host. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  return /^https?:\/\/[^/]*(\/.*)?$/i.exec(target)?.[1] ?? target;
}

function isReadableAnywhere({ api, contract }: Served, path: string): boolean {
  const get = contract.match('GET', path);
  return get.found === 'operation' && api.crossOriginGet(contract.operations.get(get.id)!);
}

/** RFC 9110 §9.3.7 and the Fetch standard's preflight: a page of another origin may read, never write. */
function preflight(other: OtherMethods, message: IncomingMessage): Readonly<Record<string, string>> {
  if (!other.readableAnywhere || message.headers['access-control-request-method'] !== 'GET') return {};
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'authorization, x-api-key',
    'access-control-max-age': '600',
  };
}
