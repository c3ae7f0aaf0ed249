/**
 * Stands between the kit and the subject, and commits violations. Keeps a client's address if it is one of this machine,
 * so that limits per address stay as they are.
 */
import { once } from 'node:events';
import { request as ask, createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { apply, Commission, jsonOf } from './changes.js';
import type { Message } from './functions.js';
import type { Row } from './rows.js';

export interface ProxyServer {
  readonly url: string;
  commit(violations: readonly Row[]): void;
  close(): Promise<void>;
}

/** Signs requests in place of a terminal. */
export interface Signer {
  /** Before a request is changed. */
  adopt(request: Message): void;
  /** @returns the request as it is sent */
  sign(request: Message, violation: Row | undefined): Message;
  /** Before the terminal reads an answer. */
  reveal(answer: Message): void;
}

/** Changed bodies have another length, and connections are the proxy's own. */
const hop = ['connection', 'keep-alive', 'transfer-encoding', 'content-length'];

async function read(stream: IncomingMessage): Promise<{ body: string; firstPiece: number }> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return { body: Buffer.concat(pieces).toString('latin1'), firstPiece: pieces[0]?.length ?? 0 };
}

/** @param signer if the subject is a terminal, which asks and does not answer */
export async function openProxy(upstream: string, signer?: Signer): Promise<ProxyServer> {
  const target = new URL(upstream);
  const host = target.hostname === 'localhost' ? '127.0.0.1' : target.hostname;
  let commissions: readonly Commission[] = [];

  const send = (request: Message, from: string) =>
    new Promise<Message>((resolve) => {
      if (commissions.some(({ stopped }) => stopped)) return resolve({ ...request, status: 0, body: '' });
      const signedRequest = signer?.sign(request, commissions[0]?.violation) ?? request;
      const { method, path } = signedRequest;
      const body = Buffer.from(signedRequest.body, 'latin1');
      const headers: Message['headers'] = { ...signedRequest.headers, host: target.host };
      for (const name of hop) delete headers[name];
      if (body.length > 0) headers['content-length'] = String(body.length);
      const address = from.startsWith('127.') ? { localAddress: from } : {};
      const upstream = ask({ host, port: target.port, method, path, headers, ...address, agent: false }, (answer) => {
        read(answer).then(
          ({ body: text }) =>
            resolve({ ...request, status: answer.statusCode ?? 502, headers: { ...answer.headers }, body: text }),
          () => resolve({ ...request, status: 0, body: '' }),
        );
      });
      upstream.on('error', () => resolve({ ...request, status: 0, body: '' }));
      upstream.end(body);
    });

  const exchange = async (request: Message, from: string): Promise<Message> => {
    signer?.adopt(request);
    const runningCommissions = commissions.map((commission) => ({ commission, end: commission.begin(request) }));
    const active = runningCommissions.filter(({ end }) => end !== undefined);
    const instead = active.find(({ commission }) => commission.violation.instead !== undefined);
    if (instead !== undefined) return { ...request, headers: {}, body: '', ...instead.commission.violation.instead };
    const answer = await send(request, from);
    for (const { commission, end } of active.filter((entry) => entry.commission.concerns(answer))) {
      for (const more of followUps(commission, request, answer)) await send(more, from);
      end?.(answer);
      await pause(commission.violation.answer?.delay ?? 0);
    }
    signer?.reveal(answer);
    return answer;
  };

  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const headers: Message['headers'] = { ...request.headers };
    // Pages of the deployment come from its own address.
    if (/^http:\/\/(localhost|127\.)/.test(String(headers['origin']))) headers['origin'] = target.origin;
    const { method = 'GET', url: path = '/', socket } = request;
    try {
      const from = socket.remoteAddress?.replace('::ffff:', '') ?? '127.0.0.1';
      const answer = await exchange({ method, path, headers, status: 0, ...(await read(request)) }, from);
      if (answer.status === 0) return void (signer === undefined ? response.writeHead(502).end() : socket.destroy());
      for (const name of hop) delete answer.headers[name];
      response.writeHead(answer.status, answer.headers as Record<string, string>);
      response.end(Buffer.from(answer.body, 'latin1'));
    } catch {
      socket.destroy();
    }
  });
  server.on('upgrade', (request, socket) => {
    const onward = connect(Number(target.port), host, () => {
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
    commit(violations) {
      commissions = violations.map((violation) => new Commission(violation));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @returns what a terminal sends after an answer */
function followUps(commission: Commission, request: Message, answer: Message): readonly Message[] {
  const { then } = commission.violation;
  if (then === undefined) return [];
  if (then.stop) commission.stopped = true;
  const { repeat = 0, resign = 0, to } = then;
  const repetitions = Array.from({ length: repeat + resign }, () => ({ ...request, resign: resign > 0 }));
  if (to === undefined) return repetitions;
  const members = { ...jsonOf(request.body), ...jsonOf(answer.body) };
  const path = `/api/v1/terminal/${to}`;
  const headers = { ...request.headers, 'content-type': 'application/json' };
  const next = { ...request, method: 'POST', path, headers, resign: true, body: '' };
  apply({ body: fill(then.body ?? {}, members) }, next);
  return [next];
}

/** With members of another request or answer where a text is `$name`. */
const fill = (body: Readonly<Record<string, unknown>>, members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('$') ? members[value.slice(1)] : value,
    ]),
  );
