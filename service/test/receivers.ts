/** Receivers of webhooks for tests: real servers on loopback that remember their requests. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

const tls = new URL('./tls/', import.meta.url);
/** A certificate of `hooks.example` that signs itself, good until 2126. It is trusted by these tests alone. */
export const certificate = readFileSync(new URL('hooks.example.crt', tls), 'utf8');
const key = readFileSync(new URL('hooks.example.key', tls), 'utf8');

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export interface Receiver {
  readonly port: number;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

export type Answering = (response: ServerResponse, request: Received) => void | Promise<void>;
const acceptRequest: Answering = (response) => {
  response.writeHead(204).end();
};

/** @param secure HTTPS with {@link certificate} */
export async function startReceiver(
  answer: Answering = acceptRequest,
  { secure = false, address = '127.0.0.1', port = 0 }: { secure?: boolean; address?: string; port?: number } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
    const receivedRequest = {
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    received.push(receivedRequest);
    await answer(response, receivedRequest);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    take(request, response).catch(() => response.destroy());
  };
  const server = secure ? createHttpsServer({ key, cert: certificate }, onRequest) : createHttpServer(onRequest);
  const listener = await open(server, address, port);
  return { ...listener, received };
}

export interface RawReceiver {
  readonly port: number;
  readonly connections: () => number /** Bytes given to the sockets so far. */;
  readonly written: () => number;
  close(): Promise<void>;
}

/** A raw server behind a port: `say` gets the socket and answers freely. */
export async function startRaw(say: (socket: Socket) => void, address = '127.0.0.1'): Promise<RawReceiver> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    say(socket);
  });
  const listener = await open(server, address, 0);
  return {
    ...listener,
    connections: () => sockets.length,
    written: () => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0),
  };
}

/** Writes the same piece for as long as the other side reads. */
export function pour(socket: Socket, piece: string | Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

/** A port of loopback without a listener. */
export async function closedPort(): Promise<number> {
  const { port, close } = await open(createTcpServer(), '127.0.0.1', 0);
  await close();
  return port;
}

async function open(
  server: Server,
  address: string,
  port: number,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(port, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
