/**
 * WebSockets by express-ws. A handshake takes the way of every request before it is accepted (`verifyClient`), so a
 * refused one gets its documented answer, and 101 is for callers who may. Every other request for another protocol is
 * served as if it had not asked (RFC 9110 §7.8), such as the `Upgrade: h2c` that Java's client sends everywhere.
 */
import { EventEmitter } from 'node:events';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import expressWs from 'express-ws';
import type { WebSocket } from 'ws';

/** A handshake that has not been answered yet. */
export interface Handshake {
  /** Answers 101. @param headers beside those of RFC 6455 */
  accept(headers: Readonly<Record<string, string>>, onOpen: (webSocket: WebSocket) => void): void;
  refuse(status: number, headers: Readonly<Record<string, string>>, body: string): void;
}

/** @returns false if no WebSocket can be had: the request is treated like any other */
export type TakeHandshake = (message: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/** A request on its way through express-ws, which hands on nothing but the request. */
interface SocketRequest extends IncomingMessage {
  handshake?: Handshake;
  /** The acceptance of the handshake. */
  acceptance?: {
    readonly headers: Readonly<Record<string, string>>;
    readonly opened: (webSocket: WebSocket) => void;
  };
}

export const handshakeOf = (message: SocketRequest): Handshake | undefined => message.handshake;

/** Clients have nothing to say: their messages are ignored, as far as they are small. */
const limits = {
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 1_024,
  maxFragments: 1_000,
  maxBufferedChunks: 1_000,
  // Missing from the types.
  ...{ closeTimeout: 5_000 },
  // There are no subprotocols; none is chosen.
  handleProtocols: () => false as const,
};

/**
 * Mounts the addresses of WebSockets. To be called before anything else is mounted: express-ws sends an open socket
 * through the application once more.
 * @returns a function that takes a request for another protocol if it is a handshake at one of these addresses
 */
export function mountSockets(application: Express, paths: readonly string[]): TakeHandshake {
  // express-ws would listen for every upgrade; this emitter passes on handshakes alone.
  const upgrades = new EventEmitter();
  const { app, getWss } = expressWs(application, upgrades as Server, {
    leaveRouterUntouched: true,
    wsOptions: {
      ...limits,
      verifyClient({ req }: { readonly req: SocketRequest }, callback: Verified) {
        req.handshake = {
          accept(headers, opened) {
            req.acceptance = { headers, opened };
            callback(true);
          },
          refuse: (status, headers, body) => callback(false, status, body, asWritten(headers)),
        };
        application(req, new ServerResponse(req));
      },
    },
  });
  getWss().on('headers', (lines, message: SocketRequest) => {
    const { headers } = message.acceptance!;
    for (const name in headers) lines.push(`${name}: ${headers[name]}`);
  });
  for (const path of paths) app.ws(path, (webSocket, message: SocketRequest) => message.acceptance!.opened(webSocket));
  return (message, socket, head) => {
    if (!paths.includes(message.url!.split('?', 1)[0]!) || !isHandshake(message)) return false;
    delete message.headers['sec-websocket-protocol'];
    return upgrades.emit('upgrade', message, socket, head);
  };
}

type Verified = (isAllowed: boolean, status?: number, body?: string, headers?: Record<string, string>) => void;

/** ws adds headers of its own, unless they are there in its spelling. */
function asWritten(headers: Readonly<Record<string, string>>): Record<string, string> {
  const allHeaders = { ...headers, date: new Date().toUTCString(), connection: 'close' };
  return Object.fromEntries(
    Object.entries(allHeaders).map(([name, value]) => [
      name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  );
}

/** RFC 6455 §4.2.1. */
function isHandshake({ method, headers }: IncomingMessage): boolean {
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
  const upgradeHeaders = new Set(['upgrade', 'connection', 'http2-settings']);
  const lines = [`${message.method} ${message.url} HTTP/${message.httpVersion}`];
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index]!;
    if (!upgradeHeaders.has(name.toLowerCase())) lines.push(`${name}: ${message.rawHeaders[index + 1]!}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
