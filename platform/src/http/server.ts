/** node:http with limits that a slow or hostile client meets early, and a stop that lets running requests finish. */
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { drain } from '../deadlines.js';
import { serveWithoutUpgrade, type TakeHandshake } from './sockets.js';

export interface RunningServer {
  readonly server: Server;
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting, answers arrived requests with `Connection: close` for at most `graceMilliseconds`, then closes the
   * rest.
   * @returns true if every request was answered
   */
  close(graceMilliseconds?: number): Promise<boolean>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly maxConnections?: number;
  readonly newRequestId?: () => string;
  /** Without it, a request for another protocol is served like any other. */
  readonly takeHandshake?: TakeHandshake;
}

/** Browsers and proxies send a third of this. */
const maxHeaderLines = 100;

/** There is no listening at this address. The message names it. */
export class CannotListen extends Error {
  override readonly name: string = 'CannotListen';
}

export class PortInUse extends CannotListen {
  override readonly name = 'PortInUse';
}

/** Error codes of a machine without IPv6 for `::`. */
const withoutIpv6 = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL']);

export async function listen(
  listener: RequestListener,
  {
    host,
    port,
    maxConnections = 10_000,
    takeHandshake,
    newRequestId = () => `req_${randomUUID().replaceAll('-', '')}`,
  }: ListenOptions,
): Promise<RunningServer> {
  let isStopping = false;
  const openResponses = new Set<ServerResponse>();
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 20_000,
      maxHeaderSize: 16 * 1024,
      insecureHTTPParser: false,
      // Node would answer without a body; `faultOf` refuses such a request.
      requireHostHeader: false,
      noDelay: true,
    },
    (message, response) => {
      openResponses.add(response);
      response.once('close', () => openResponses.delete(response));
      if (isStopping) response.shouldKeepAlive = false;
      const status = faultOf(message);
      if (status === undefined) listener(message, response);
      else refuseMalformed(message.socket, status, newRequestId());
    },
  );
  // Node would answer 417 without a body. Such a request is served like any other (RFC 9110 §10.1.1).
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) =>
    server.emit('request', message, response),
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const upgradedSockets = new Set<Socket>();
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    const status = faultOf(message);
    if (status !== undefined) return refuseMalformed(socket, status, newRequestId());
    if (takeHandshake?.(message, socket, head) !== true) return serveWithoutUpgrade(server, message, socket, head);
    // Node does not look after the connection any more.
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => socket.destroy());
    upgradedSockets.add(socket);
    socket.once('close', () => upgradedSockets.delete(socket));
  });
  // A client may close its side once the request is whole, and still reads (RFC 9112 §9.6). Node has no option for it.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.maxConnections = maxConnections;
  // Node would drop lines in silence, the one a proxy has appended among them; here they are refused.
  server.maxHeadersCount = 0;
  // A peer that stops reading its answer: nothing moves on the socket for this long.
  server.setTimeout(60_000);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuseMalformed(socket, statusOf(error), newRequestId()),
  );
  const bind = (to: string) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, to, () => {
        server.off('error', reject);
        resolve();
      });
    });
  await bind(host)
    .catch((error: NodeJS.ErrnoException) =>
      host === '::' && withoutIpv6.has(error.code ?? '') ? bind('0.0.0.0') : Promise.reject(error),
    )
    .catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE'
        ? new PortInUse(`port ${port} is in use${host === '::' ? '' : ` on ${host}`}`)
        : new CannotListen(`cannot listen on ${host}: ${error.message}`, { cause: error });
    });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    server,
    port: actual,
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${actual}`,
    async close(graceMilliseconds = drain) {
      isStopping = true;
      for (const response of openResponses) response.shouldKeepAlive = false;
      // Connections and requests that have arrived are read first: Node would close a connection on which it has
      // not yet seen the next request.
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      return new Promise<boolean>((resolve) => {
        let isComplete = true;
        const timer = setTimeout(() => {
          isComplete = openResponses.size === 0;
          server.closeAllConnections();
          for (const socket of upgradedSockets) socket.destroy();
        }, graceMilliseconds);
        server.close(() => {
          clearTimeout(timer);
          resolve(isComplete);
        });
        server.closeIdleConnections();
        // Browsers and fetch open connections ahead of need. Node does not count them as idle before their first
        // request.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      });
    },
  };
}

/** RFC 9112 §3.2: one Host line with a host in it. HTTP/1.0 may do without. */
const hostForm = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::[0-9]*)?$/;

/** The status for a request that is well-formed to the parser, and yet not to us. */
function faultOf({ rawHeaders, headers, httpVersion }: IncomingMessage): number | undefined {
  if (rawHeaders.length > 2 * maxHeaderLines) return 431;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts++;
  if (headers.host === undefined ? httpVersion !== '1.0' : hosts > 1 || !hostForm.test(headers.host)) return 400;
  return undefined;
}

function statusOf({ code }: NodeJS.ErrnoException): number {
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

/** Codes and sentences of `openapi/errors.yaml` for input that never becomes a request. */
export const parserProblems: Readonly<Record<number, { readonly code: string; readonly error: string }>> = {
  400: { code: 'invalid_request', error: 'The request does not match the documented format.' },
  408: { code: 'request_timeout', error: 'The request did not arrive in time.' },
  431: { code: 'headers_too_large', error: 'The headers are too large or too many.' },
};

/** The answer is written by hand and the connection closed: no guess about the following bytes (RFC 9112 §11.2). */
function refuseMalformed(socket: Socket, status: number, requestId: string): void {
  if (!socket.writable || socket.writableEnded) return void socket.destroy();
  const { code, error } = parserProblems[status]!;
  const body = JSON.stringify({ error, code, request_id: requestId });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
