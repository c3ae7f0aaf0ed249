/** One request and what its answer says: the headers of every answer, how it goes out, and what a refusal becomes. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { DatabaseUnavailable } from '../database/database.js';
import type { Api, EdgeOptions, Problem } from './api.js';
import type { OperationInfo } from './contract.js';
import { Refusal } from './refusal.js';
import type { Upgrade } from './upgrade.js';

/** What goes out, but for the headers that every answer has. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; they win over those of every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly serialised?: string;
  /** In place of a body: its pieces, sent as they come and as fast as the client reads. */
  readonly stream?: AsyncIterable<string>;
  /** With status 101: takes the open WebSocket. */
  readonly opened?: (webSocket: WebSocket) => void;
}

/** A request on its way, and what its answer will say of it. Made whole, so that every step finds the same shape. */
export interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** The request is a WebSocket handshake, not answered yet. */
  readonly upgrade?: Upgrade | undefined;
  readonly requestId: string;
  /** Pages of any origin may read the answer. */
  readonly readableAnywhere: boolean;
  readonly httpsOnly: boolean;
  /**
   * The limit that this request counted against last, and what is left of it (draft-ietf-httpapi-ratelimit-headers).
   */
  limit: { readonly policy: string; readonly left: string } | undefined;
}

const json = 'application/json; charset=utf-8';
/** A year, as OWASP ASVS 3.4.1 asks. Subdomains are not ours to decide about. */
export const strictTransportSecurity = 'max-age=31536000';

/**
 * Names and values in turn, as they go out: a list is cheaper for node:http than an object, and this runs for every
 * answer.
 */
function headerLines(
  { message, requestId, readableAnywhere, httpsOnly, limit }: Exchange,
  { status, headers = {}, body, stream }: Answer,
  bytes: number,
): string[] {
  const lines = ['x-content-type-options', 'nosniff', 'x-request-id', requestId];
  if (httpsOnly) lines.push('strict-transport-security', strictTransportSecurity);
  if (readableAnywhere) lines.push('access-control-allow-origin', '*');
  if (limit !== undefined) lines.push('ratelimit-policy', limit.policy, 'ratelimit', limit.left);
  if (headers['cache-control'] === undefined) lines.push('cache-control', 'no-store');
  if (body !== undefined && headers['content-type'] === undefined) lines.push('content-type', json);
  for (const name in headers) lines.push(name, headers[name]!);
  if (status !== 204 && status !== 304 && stream === undefined) lines.push('content-length', String(bytes));
  // The unread rest of a body would be taken for the next request.
  if (!message.complete) lines.push('connection', 'close');
  return lines;
}

/** The headers of an answer by name in lower case. */
export function headersOf(exchange: Exchange, answer: Answer): Readonly<Record<string, string>> {
  const lines = headerLines(exchange, answer, 0);
  return Object.fromEntries(
    Array.from({ length: lines.length / 2 }, (_, index) => [lines[2 * index]!, lines[2 * index + 1]!]),
  );
}

export function withHeaders(answer: Answer, headers: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

export function send(exchange: Exchange, answer: Answer): void {
  const { message, response } = exchange;
  const { status, body, serialised, stream } = answer;
  if (response.destroyed) {
    if (stream !== undefined) leaveUnread(stream);
    return;
  }
  if (stream !== undefined) {
    response.writeHead(status, headerLines(exchange, answer, 0));
    if (message.method !== 'HEAD') void sendStream(response, stream);
    else {
      response.end();
      leaveUnread(stream);
    }
    return;
  }
  const payload =
    serialised ??
    (body === undefined ? '' : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  const bytes = Buffer.byteLength(payload);
  if (!message.complete && hasBody(message)) lingerAfter(response);
  response.writeHead(status, headerLines(exchange, answer, bytes));
  if (message.method === 'HEAD' || bytes === 0) response.end();
  // Text of ASCII alone is the same bytes in Latin-1, which are copied instead of encoded.
  else response.end(payload, bytes === payload.length ? 'latin1' : 'utf8');
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The client may still be sending its body. */
function lingerAfter({ socket }: ServerResponse): void {
  // Node calls it once the last response of a connection is written.
  if (socket !== null) socket.destroySoon = () => endAndLinger(socket);
}

/** Its source would wait for a reader. */
function leaveUnread(stream: AsyncIterable<string>): void {
  void stream[Symbol.asyncIterator]().return?.();
}

/** The operation that a request has reached, if any. */
export interface Reached {
  readonly api: Api;
  readonly operation: OperationInfo;
}

/**
 * From what was thrown to an answer. The outside learns the code and its sentence; the log learns why.
 * @returns a function that never throws
 */
export function createProblems({
  errors,
  log,
  errorPage,
}: Pick<EdgeOptions, 'errors' | 'log' | 'errorPage'>): (
  error: unknown,
  reached: Reached | undefined,
  message: IncomingMessage,
  requestId: string,
) => Answer {
  return (error, reached, message, requestId) => {
    const refusal = refusalOf(error);
    if (refusal !== error)
      log.error({ err: error, request_id: requestId, operation: reached?.operation.id }, 'request failed');
    else if (refusal.options.reason !== undefined)
      log.warn({ code: refusal.code, reason: refusal.options.reason, request_id: requestId }, 'refused');
    const { status, error: sentence } = errors[refusal.code]!;
    const problem: Problem = {
      error: sentence,
      code: refusal.code,
      request_id: requestId,
      ...(errorPage === undefined ? {} : { doc_url: `${errorPage}#${refusal.code}` }),
      ...(refusal.options.details === undefined ? {} : { details: refusal.options.details }),
      ...refusal.options.extra,
    };
    const challenge =
      status === 401 && reached !== undefined
        ? { 'www-authenticate': reached.api.challenge(reached.operation, message.headers) }
        : {};
    return {
      status,
      headers: { ...challenge, ...refusal.options.headers },
      body: reached?.api.presentProblem?.(problem, reached.operation) ?? problem,
    };
  };

  /** A rule's own refusal; 503 for a database that cannot answer now; 500 for anything unexpected. */
  function refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal && errors[error.code] !== undefined) return error;
    if (error instanceof DatabaseUnavailable) return new Refusal('unavailable', { headers: { 'retry-after': '1' } });
    return new Refusal('internal');
  }
}

/**
 * Sends a body in pieces, as they come and as fast as the client reads them. Ends the source when the client goes. A
 * source that fails breaks the connection, so that nobody takes the part for the whole.
 */
export async function sendStream(response: ServerResponse, stream: AsyncIterable<string>): Promise<void> {
  const pieces = stream[Symbol.asyncIterator]();
  const gone = new Promise<'gone'>((resolve) => response.once('close', () => resolve('gone')));
  response.flushHeaders();
  try {
    while (!response.destroyed) {
      const next = await Promise.race([pieces.next(), gone]);
      if (next === 'gone') break;
      if (next.done === true) return void response.end();
      if (!response.write(next.value)) await Promise.race([once(response, 'drain'), gone]);
    }
  } catch {
    response.destroy();
  } finally {
    // Not awaited: a source that waits for its next piece ends when that comes.
    Promise.resolve(pieces.return?.()).catch(() => undefined);
  }
}

const lingerMilliseconds = 2_000;

/**
 * Ends a connection whose client may still be sending. What comes is dropped unread for two seconds: a connection that is
 * closed at once answers it with a reset, which takes the response along (RFC 9112 §9.6).
 */
export function endAndLinger(socket: Duplex): void {
  socket.resume();
  // In this turn of the event loop, but after Node has begun to read again where a body that nobody read had stopped it.
  process.nextTick(() => {
    // The parser would take what follows the body for further requests.
    socket.removeAllListeners('data');
    socket.on('data', () => undefined);
    socket.end(() => setTimeout(() => socket.destroy(), lingerMilliseconds).unref());
  });
}
