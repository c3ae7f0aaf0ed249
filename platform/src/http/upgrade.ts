/**
 * Requests that ask for another protocol. Only a WebSocket handshake is one for us; every other request is served as if
 * it had not asked (RFC 9110 §7.8), such as the `Upgrade: h2c` that Java's client sends everywhere.
 */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { endAndLinger } from './exchange.js';

/** The connection of a WebSocket handshake that nobody has answered yet. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What arrived behind the request. */
  readonly head: Buffer;
}

/** RFC 6455 §4.2.1. */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^[A-Za-z0-9+/]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    headers['sec-websocket-version'] === '13' &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}

/** Gives the request back to the parser, without the headers that asked for another protocol. */
export function serveWithoutUpgrade(server: Server, message: IncomingMessage, socket: Duplex, head: Buffer): void {
  const dropped = new Set(['upgrade', 'connection', 'http2-settings']);
  const lines = [`${message.method} ${message.url} HTTP/${message.httpVersion}`];
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index]!;
    if (!dropped.has(name.toLowerCase())) lines.push(`${name}: ${message.rawHeaders[index + 1]!}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

/** A response for a handshake that is refused; the connection ends with it. */
export function responseTo(message: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  // A plain socket, or one with TLS.
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.on('finish', () => endAndLinger(socket));
  return response;
}

/** A message, and each of its pieces, is small: an acknowledgement has 60 bytes. */
const handshakes = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 64 * 1024,
  maxFragments: 1_000,
  maxBufferedChunks: 1_000,
  // Missing from the types.
  ...{ closeTimeout: 5_000 },
});
const headersToAdd = new WeakMap<IncomingMessage, readonly string[]>();
handshakes.on('headers', (lines, message) => void lines.push(...(headersToAdd.get(message) ?? [])));

/** Answers 101. @param headers lines of the answer beside those of RFC 6455 */
export function acceptHandshake(
  message: IncomingMessage,
  response: ServerResponse,
  { socket, head }: Upgrade,
  headers: readonly string[],
  opened: (webSocket: WebSocket) => void,
): void {
  response.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0]);
  // There are no subprotocols; none is chosen.
  delete message.headers['sec-websocket-protocol'];
  headersToAdd.set(message, headers);
  handshakes.handleUpgrade(message, socket, head, opened);
}
