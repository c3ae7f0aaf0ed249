/**
 * Stands between the kit and a deployment, and commits one violation at a time. Keeps the client's address where it is one
 * of this machine's, so that limits per address stay what they are.
 */
import { once } from 'node:events';
import { request as ask, createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Exchange, Reply, Violation } from './violation.js';

export interface Proxy {
  readonly url: string;
  violation: Violation | undefined;
  close(): Promise<void>;
}

/** Changed bodies have another length, and connections are the proxy's own. */
const hop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

export async function openProxy(upstream: string, side: Violation['side']): Promise<Proxy> {
  const target = new URL(upstream);
  const memory = new Map<string, Reply>();
  let violation: Violation | undefined;
  const server: Server = createServer({ requireHostHeader: false }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const whole = Buffer.concat(chunks);
      const exchange: Exchange = {
        method: request.method ?? 'GET',
        path: request.url ?? '/',
        headers: { ...(request.headers as Record<string, string>), host: target.host },
        // Kept byte by byte.
        body: whole.toString('latin1'),
      };
      // Pages of the deployment come from its own address.
      if (
        exchange.headers['origin']?.startsWith('http://localhost') ||
        exchange.headers['origin']?.startsWith('http://127.')
      )
        exchange.headers['origin'] = target.origin;
      const active = violation?.side === side ? violation : undefined;
      active?.request?.(exchange);
      for (const name of hop) delete exchange.headers[name];
      const sent = Buffer.from(exchange.body, 'latin1');
      const from = request.socket.remoteAddress?.replace('::ffff:', '') ?? '127.0.0.1';
      const passed = ask(
        {
          host: target.hostname === 'localhost' ? '127.0.0.1' : target.hostname,
          port: target.port,
          method: exchange.method,
          path: exchange.path,
          headers: { ...exchange.headers, ...(sent.length > 0 ? { 'content-length': sent.length } : {}) },
          ...(from.startsWith('127.') ? { localAddress: from } : {}),
          agent: false,
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () => {
            const reply: Reply = {
              status: answer.statusCode ?? 502,
              headers: { ...(answer.headers as Reply['headers']) },
              body: Buffer.concat(parts).toString('utf8'),
            };
            active?.reply?.(reply, exchange, memory);
            for (const name of hop) delete reply.headers[name];
            response.writeHead(reply.status, reply.headers).end(reply.body);
          });
        },
      );
      passed.on('error', () => response.writeHead(502).end());
      passed.end(sent);
    });
  });
  server.on('upgrade', (request, socket) => {
    const onward = connect(Number(target.port), target.hostname === 'localhost' ? '127.0.0.1' : target.hostname, () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let index = 0; index < request.rawHeaders.length; index += 2) {
        const name = request.rawHeaders[index]!;
        lines.push(`${name}: ${name.toLowerCase() === 'host' ? target.host : request.rawHeaders[index + 1]}`);
      }
      onward.write(`${lines.join('\r\n')}\r\n\r\n`);
      onward.pipe(socket);
      socket.pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    get violation() {
      return violation;
    },
    set violation(next) {
      violation = next;
      memory.clear();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
