/** The end of a request: the headers that every answer has, the bytes, the metrics and the line in the log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { answerFault } from './answer-check.js';
import type { AppOptions } from './api.js';
import type { Exchange } from './exchange.js';
import { endAndLinger, leaveUnread, sendStream } from './stream.js';

/** An answer without the headers that every answer has. */
export interface Answer {
  readonly status: number;
  /** Headers with names in lower case; they win over those of every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly serialised?: string;
  /** Pieces in place of a body, sent as they come and as fast as the client reads. */
  readonly stream?: AsyncIterable<string>;
  /** Takes the open WebSocket; with status 101. */
  readonly opened?: (webSocket: WebSocket) => void;
}

export type Finish = (exchange: Exchange, message: IncomingMessage, response: ServerResponse, answer: Answer) => void;

/** A year, as OWASP ASVS 3.4.1 asks. Subdomains are not ours to decide about. */
const strictTransportSecurity = 'max-age=31536000';

/** Headers of every answer, also outside of the operations. */
export function httpsHeaders(httpsOnly: boolean | undefined): Readonly<Record<string, string>> {
  return httpsOnly === true ? { 'strict-transport-security': strictTransportSecurity } : {};
}

/** Headers of the Fetch standard: any page may read the answer, and these of its headers. */
const readableAnywhere = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
};

export function createFinish({
  httpsOnly,
  onContractBreach,
  observe,
  log,
}: Pick<AppOptions, 'httpsOnly' | 'onContractBreach' | 'observe' | 'log'>): Finish {
  const headersOf = (
    { requestId, reached, limit }: Exchange,
    { status, headers, body, stream }: Answer,
    message: IncomingMessage,
    bytes: number,
  ): Readonly<Record<string, string>> => ({
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    ...httpsHeaders(httpsOnly),
    ...((reached?.readableAnywhere ?? isRefusedRead(status, message)) ? readableAnywhere : {}),
    ...(limit === undefined ? {} : { 'ratelimit-policy': limit.policy, ratelimit: limit.left }),
    'cache-control': 'no-store',
    ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...headers,
    ...(status === 204 || status === 304 || stream !== undefined ? {} : { 'content-length': String(bytes) }),
    // The unread rest of a body would be taken for the next request.
    ...(message.complete ? {} : { connection: 'close' }),
  });

  const checkAnswer = (exchange: Exchange, message: IncomingMessage, answer: Answer): Answer => {
    if (onContractBreach === undefined || exchange.reached === undefined || answer.opened !== undefined) return answer;
    const fault = answerFault(exchange.reached, answer, headersOf(exchange, answer, message, 0));
    if (fault === undefined) return answer;
    onContractBreach(fault);
    return { status: 500, body: { error: fault, code: 'internal', request_id: exchange.requestId } };
  };

  const send = (exchange: Exchange, message: IncomingMessage, response: ServerResponse, answer: Answer): void => {
    const { status, body, serialised, stream, opened } = answer;
    const payload =
      serialised ??
      (body === undefined ? '' : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    const headers = headersOf(exchange, answer, message, Buffer.byteLength(payload));
    const isHead = message.method === 'HEAD';
    if (opened !== undefined) exchange.handshake!.accept({ 'x-request-id': exchange.requestId }, opened);
    else if (exchange.handshake !== undefined) exchange.handshake.refuse(status, headers, String(payload));
    else if (response.destroyed) leaveUnread(stream);
    else {
      if (!message.complete && hasBody(message)) lingerAfter(response);
      response.writeHead(status, headers);
      if (stream === undefined || isHead) response.end(isHead ? undefined : payload);
      else void sendStream(response, stream);
      if (isHead) leaveUnread(stream);
    }
  };

  return (exchange, message, response, handlerAnswer) => {
    const answer = checkAnswer(exchange, message, handlerAnswer);
    send(exchange, message, response, answer);
    if (exchange.reached === undefined) return;
    const { id } = exchange.reached.operation;
    const seconds = (performance.now() - exchange.started) / 1_000;
    observe?.(id, answer.status, seconds);
    log.info(
      { operation: id, status: answer.status, ms: Math.round(seconds * 1e5) / 100, request_id: exchange.requestId },
      'request',
    );
  };
}

/** True for a refused GET or HEAD outside of the operations. Its answer contains nothing that a page may not know. */
const isRefusedRead = (status: number, { method }: IncomingMessage) =>
  status >= 400 && (method === 'GET' || method === 'HEAD');

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The client may still be sending its body. */
function lingerAfter({ socket }: ServerResponse): void {
  // Node calls it once the last response of a connection is written.
  if (socket !== null) socket.destroySoon = () => endAndLinger(socket);
}
