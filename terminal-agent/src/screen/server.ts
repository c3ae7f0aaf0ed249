import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigurationFaults } from '../config.js';
import { readJson } from '../read-json.js';
import { version } from '../version.js';
import type { Act } from './machine.js';
import type { Frame } from './view.js';

/** The page at the door, on the loopback address. */
export interface ScreenServer {
  readonly port: number;
  /** Shows this on every open page. */
  show(frame: Frame): void;
  close(): Promise<void>;
}

export interface SentFrame extends Frame {
  /** The program's: a page of another one loads itself again. */
  readonly version: string;
}

export interface ScreenServerOptions {
  /** 0 for any free one. */
  readonly port: number;
  /** The built page; by default the one beside this program. */
  readonly folder?: string | undefined;
  /** By default this program's. */
  readonly version?: string;
  readonly frame: () => Frame;
  readonly act: (visit: number, act: Act) => void;
}

const action = z.enum(['in', 'out', 'break_start', 'break_end']);
const request = z.intersection(
  z.object({ visit: z.number().int().nonnegative() }),
  z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['touch', 'account', 'cancel', 'close', 'language']) }),
    z.object({ kind: z.literal('act'), action }),
    z.object({ kind: z.literal('pin'), pin: z.string().regex(/^[0-9]{6}$/) }),
    z.object({ kind: z.literal('code'), code: z.string().regex(/^[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/) }),
  ]),
);

const maxBodyBytes = 1_024;
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};
/** Nothing is loaded from elsewhere, nothing is framed, and nothing is written inline. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=()',
  'cache-control': 'no-store',
  server: `clockproof-terminal/${version}`,
};

/**
 * Serves the page, sends it frames (`GET /frames`, server-sent events) and takes the actions at it
 * (`POST /act`). Only for a browser on this machine and only for this page: a name that resolves to the loopback
 * address (DNS rebinding) and pages of other origins, also local ones, are refused.
 *
 * @throws {ConfigurationFaults} if the page is not built or the port is taken.
 */
export async function openScreenServer(options: ScreenServerOptions): Promise<ScreenServer> {
  const folder = options.folder ?? builtPage();
  const pages = new Set<ServerResponse>();
  let port = options.port;
  const event = (frame: Frame): string => {
    const sentFrame: SentFrame = { ...frame, version: options.version ?? version };
    return `data: ${JSON.stringify(sentFrame)}\n\n`;
  };

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const refusal = whyNot(incoming, port);
    if (refusal !== undefined) return end(outgoing, 403, refusal);
    const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
    if (incoming.method === 'POST' && path === '/act') {
      const result = request.safeParse(await readJson(incoming, maxBodyBytes));
      if (!result.success) return end(outgoing, 400, 'This is nothing that can be done at the screen.');
      const { visit, ...act } = result.data;
      options.act(visit, act);
      return end(outgoing, 204);
    }
    if (incoming.method !== 'GET') return end(outgoing, 405, 'GET, or POST to /act.');
    if (path === '/frames') return stream(incoming, outgoing);
    return file(path === '/' ? '/index.html' : path, outgoing);
  };

  const stream = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    outgoing.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    outgoing.write(`retry: 500\n${event(options.frame())}`);
    pages.add(outgoing);
    incoming.on('close', () => pages.delete(outgoing));
  };

  const file = async (path: string, outgoing: ServerResponse): Promise<void> => {
    const fullPath = normalize(join(folder, path));
    const type = types[extname(fullPath)];
    if (type === undefined || !fullPath.startsWith(folder + sep)) return end(outgoing, 404, 'There is no such file.');
    const content = await readFile(fullPath).catch(() => undefined);
    if (content === undefined) return end(outgoing, 404, 'There is no such file.');
    outgoing.writeHead(200, { ...headers, 'content-type': type }).end(content);
  };

  const server = createServer({ requestTimeout: 10_000 }, (incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => end(outgoing, 400, 'The request cannot be read.'));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve)).catch(
    (error: unknown) => {
      throw new ConfigurationFaults([`SCREEN_PORT ${port} cannot be used: ${(error as Error).message}`]);
    },
  );
  port = (server.address() as AddressInfo).port;
  // A page notices by this that the program is gone; no name stays on a screen without it.
  const beat = setInterval(() => {
    for (const page of pages) page.write(': still here\n\n');
  }, 2_000).unref();

  return {
    port,
    show(frame) {
      for (const page of pages) page.write(event(frame));
    },
    close: () =>
      new Promise((resolve) => {
        clearInterval(beat);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The listener at a port of this PC: the screen of a terminal, another program, or none. */
export async function screenAt(port: number): Promise<'ours' | 'another' | 'none'> {
  return new Promise((resolve) => {
    const probe = get({ host: '127.0.0.1', port, path: '/', timeout: 2_000 }, (answer) => {
      answer.destroy();
      resolve(String(answer.headers.server).startsWith('clockproof-terminal/') ? 'ours' : 'another');
    });
    probe.on('timeout', () => probe.destroy(new Error('no answer in time')));
    probe.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'none' : 'another'));
  });
}

/** The reason why a request is not from this page, or undefined. */
function whyNot(incoming: IncomingMessage, port: number): string | undefined {
  const { remoteAddress = '' } = incoming.socket;
  if (!['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(remoteAddress)) return 'Only for this machine.';
  const host = incoming.headers.host ?? '';
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 'Only under the address of this machine.';
  const { origin } = incoming.headers;
  if (origin !== undefined && origin !== `http://${host}`) return 'Only for the page of this terminal.';
  // Browsers always say so; a POST from one also names its origin.
  const site = incoming.headers['sec-fetch-site'];
  const isNavigation = incoming.headers['sec-fetch-mode'] === 'navigate' && incoming.method === 'GET';
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && isNavigation))
    return 'Only for the page of this terminal.';
  if (incoming.method === 'POST' && origin === undefined) return 'Only for the page of this terminal.';
  return undefined;
}

function end(outgoing: ServerResponse, status: number, text?: string): void {
  if (outgoing.headersSent) return void outgoing.end();
  outgoing.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(text);
}

/** Beside the bundle, beside the sources, or beside the compiled sources. */
function builtPage(): string {
  const folder = ['./web', '../../web/dist', '../../../web/dist']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(join(path, 'index.html')));
  if (folder === undefined) throw new ConfigurationFaults(['the page of the door is not built: make build']);
  return folder;
}
