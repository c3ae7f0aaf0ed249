/**
 * Stands between a terminal that is right and the kit, and makes it a terminal that is not: it has a key of its own, with
 * which it pairs in the terminal's place and signs everything again.
 */
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../kit/json.js';
import { fingerprintOf, keyOf } from '../../peers/terminal.js';
import type { Driver } from '../../roles/terminal/driver.js';

type Json = Record<string, unknown>;
export interface Outgoing {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** What is signed instead of what is sent. */
  text?: (right: string) => string;
  /** Signed again, with another nonce. */
  signedAgain?: boolean;
}
export interface Incoming {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}
export type Send = (outgoing: Outgoing) => Promise<Incoming | 'lost'>;

export interface TerminalViolation {
  readonly id: string;
  /** What the terminal does wrong, as a sentence. */
  readonly does: string;
  /** The requirement that the report must name. */
  readonly breaks: string;
  /** Changes a request before it is signed. */
  readonly request?: (outgoing: Outgoing, memory: Map<string, string>) => void;
  /** Changes a request after it was signed. */
  readonly signed?: (headers: Record<string, string>) => void;
  /** What is done in place of sending a request once. */
  readonly sends?: (send: Send, outgoing: Outgoing) => Promise<Incoming | 'lost'>;
  /** Changes what the terminal shows after pairing. */
  readonly shows?: string;
}

export interface TerminalProxy {
  violation: TerminalViolation | undefined;
  through(url: string): Promise<string>;
  /** The driver, which tells what this terminal shows. */
  driver(of: Driver): Driver;
  close(): Promise<void>;
}

const signedNames = ['service-terminal', 'service-time', 'service-nonce', 'service-signature'];

export function openTerminalProxy(): TerminalProxy {
  const { privateKey, publicKey } = keyOf(randomBytes(32));
  const memory = new Map<string, string>();
  let violation: TerminalViolation | undefined;
  let server: Server | undefined;
  /** Fingerprint of the terminal behind. */
  let own = '';

  const send =
    (upstream: URL): Send =>
    (outgoing) =>
      new Promise((resolve) => {
        const headers = { ...outgoing.headers };
        if (headers['service-signature'] !== undefined) {
          if (outgoing.signedAgain === true) headers['service-nonce'] = randomBytes(16).toString('base64url');
          headers['service-signature'] = signatureOf(privateKey, headers, outgoing);
          violation?.signed?.(headers);
        }
        const body = Buffer.from(outgoing.body);
        const { method, path } = outgoing;
        if (method !== 'GET') headers['content-length'] = String(body.length);
        const { hostname, port } = upstream;
        const passed = ask({ hostname, port, method, path, headers, agent: false }, (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 502,
              headers: answer.headers,
              body: Buffer.concat(parts).toString('utf8'),
            }),
          );
        });
        passed.on('error', () => resolve('lost'));
        passed.end(body);
      });

  const receive = async (upstream: URL, outgoing: Outgoing): Promise<Incoming | 'lost'> => {
    const json = jsonOf(outgoing.body);
    if (outgoing.path.endsWith('/pair') && typeof json?.['public_key'] === 'string') {
      own = fingerprintOf(Buffer.from(json['public_key'], 'base64'));
      outgoing.body = JSON.stringify({ ...json, public_key: publicKey.toString('base64') });
    }
    violation?.request?.(outgoing, memory);
    const sending = send(upstream);
    const answer = await (violation?.sends === undefined ? sending(outgoing) : violation.sends(sending, outgoing));
    if (answer !== 'lost') answer.body = answer.body.replaceAll(fingerprintOf(publicKey), own);
    return answer;
  };

  return {
    get violation() {
      return violation;
    },
    set violation(next) {
      violation = next;
      memory.clear();
    },
    async through(url) {
      const upstream = new URL(url);
      server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const headers: Record<string, string> = { host: upstream.host };
          for (const name of ['content-type', 'accept', ...signedNames]) {
            const value = request.headers[name];
            if (typeof value === 'string') headers[name] = value;
          }
          const outgoing: Outgoing = {
            method: request.method ?? 'GET',
            path: request.url ?? '/',
            headers,
            body: Buffer.concat(chunks).toString('utf8'),
          };
          void receive(upstream, outgoing).then((answer) => {
            if (answer === 'lost') return request.socket.destroy();
            const { connection: _, 'transfer-encoding': __, 'content-length': ___, ...kept } = answer.headers;
            response.writeHead(answer.status, kept as Record<string, string>).end(answer.body);
          });
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    driver: (of) => ({
      ...of,
      async tell(instruction) {
        const told = await of.tell(instruction);
        if (told.fingerprint !== own || own === '') return told;
        return { ...told, fingerprint: violation?.shows ?? fingerprintOf(publicKey) };
      },
    }),
    async close() {
      server?.closeAllConnections();
      server?.close();
      if (server !== undefined) await once(server, 'close');
    },
  };
}

function signatureOf(key: KeyObject, headers: Record<string, string>, { method, path, body, text }: Outgoing): string {
  const hash = createHash('sha256').update(body).digest('hex');
  const right = [
    'service-terminal-v1',
    method,
    path,
    headers['service-time'] ?? '',
    headers['service-nonce'] ?? '',
    hash,
  ].join('\n');
  return sign(null, Buffer.from(text?.(right) ?? right), key).toString('base64');
}

export function jsonOf(body: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(body);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
