/** One request and what its answer says: the headers of every answer, and how it goes out. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { endAndLinger } from './linger.js';
import { sendStream } from './stream.js';
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
