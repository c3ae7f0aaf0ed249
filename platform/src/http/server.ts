/** node:http with limits that a slow or hostile client meets early, and a stop that lets running requests finish. */
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

export interface RunningServer {
  readonly server: Server;
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets running requests finish for at most `graceMilliseconds`, then closes what is left. */
  close(graceMilliseconds?: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly maxConnections?: number;
}

/** There is no listening at this address. The message names it. */
export class CannotListen extends Error {
  override readonly name: string = 'CannotListen';
}

export class PortInUse extends CannotListen {
  override readonly name = 'PortInUse';
}

/** What a machine without IPv6 says to `::`. */
const withoutIpv6 = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL']);

export async function listen(
  listener: RequestListener,
  { host, port, maxConnections = 10_000 }: ListenOptions,
): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 20_000,
      maxHeaderSize: 16 * 1024,
      insecureHTTPParser: false,
      noDelay: true,
    },
    listener,
  );
  server.maxConnections = maxConnections;
  // A peer that stops reading its answer: nothing moves on the socket for this long.
  server.setTimeout(60_000);
  server.on('clientError', answerMalformedRequest);
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
    close: (graceMilliseconds = 8_000) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/**
 * What llhttp refused never becomes a request: the answer is written by hand and the connection closed (RFC 9112 §11.2,
 * no guess about what follows).
 */
function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || socket.writableEnded) return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify({
    error: 'The request is not well-formed HTTP.',
    code: 'invalid_request',
    request_id: 'none',
  });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
