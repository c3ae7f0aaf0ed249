/** node:http with limits that a slow or hostile client meets early, and a stop that lets running requests finish. */
import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http';
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

/** The port is taken. The message names it. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
}

export async function listen(listener: RequestListener, { host, port, maxConnections = 10_000 }: ListenOptions): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 20_000,
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
    noDelay: true,
  }, listener);
  server.maxConnections = maxConnections;
  // A peer that stops reading its answer: nothing moves on the socket for this long.
  server.setTimeout(60_000);
  server.on('clientError', answerMalformedRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' ? new PortInUse(`port ${port} on ${host} is in use`) : error));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    server,
    port: actual,
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: (graceMilliseconds = 8_000) => new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
      server.close(() => { clearTimeout(timer); resolve(); });
      server.closeIdleConnections();
    }),
  };
}

/** What llhttp refused never becomes a request: the answer is written by hand and the connection closed (RFC 9112 §11.2, no guess about what follows). */
function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || socket.writableEnded) return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify({ error: 'The request is not well-formed HTTP.', code: 'invalid_request', request_id: 'none' });
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
