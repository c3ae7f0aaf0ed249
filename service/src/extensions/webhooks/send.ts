/**
 * One attempt to deliver one event: a signed POST to an address that is checked at connection time, reading little of
 * the response. No cookies, no proxy from the environment, no redirects, no retry. Its own connection, or for a short
 * time that of an earlier delivery to the same address; each new connection is checked. The caller interprets the
 * outcome.
 */

import type { KeyObject } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Log } from '@clockproof/platform/log';
import { type Instant, second } from '@clockproof/platform/time/instant';
import type { Client, Dispatcher } from 'undici';
import { signedHeaders } from './signature.js';
import { mayDial, parseTarget } from './targets.js';

export interface Delivery {
  /** The address as it was saved. */
  readonly url: string;
  /** Id of the event. */
  readonly id: string;
  /** JSON */
  readonly body: string;
  /** `whsec_…` or their keys, newest first. */
  readonly secrets: readonly (string | KeyObject)[];
  /** The time of sending in the signature; now by default. */
  readonly at?: Instant;
  /**
   * Deliveries of the same line use the connections of earlier ones, each for one request at a time. Without it there
   * is a connection for this delivery alone.
   */
  readonly line?: string;
}

/**
 * `delivered`: a status from 200 to 299. `refused`: another status, more than 64 KiB, or compressed although that was
 * not offered. `unreachable`: no complete response in time, for any reason: not resolved, not allowed, closed,
 * filtered, no HTTP, interrupted. Only the operator's log has the reason, because it would reveal the internal network
 * to people who set addresses.
 */
export type Attempt =
  | {
      readonly outcome: 'delivered' | 'refused';
      readonly status: number;
      /** From the start of the connection to the end of the response. */
      readonly milliseconds: number;
      /** The beginning of the response, at most 1 KiB. */
      readonly answer: string;
      readonly retryAfter?: string | undefined;
    }
  | { readonly outcome: 'unreachable'; readonly milliseconds: number };

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a name. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface SenderOptions {
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS */
  readonly allowPrivateTargets: boolean;
  readonly clock: () => Instant;
  /** Receives the reason why an address was not reached. */
  readonly log: Log;
  readonly resolveHost?: ResolveHost | undefined;
  /** Certificates (PEM) trusted instead of the system's. */
  readonly trustedCertificates?: string;
  readonly connectMilliseconds?: number;
  readonly totalMilliseconds?: number;
}

export type SendWebhook = (delivery: Delivery) => Promise<Attempt>;

/** The headers of every delivery. */
export const fixedHeaders = {
  'content-type': 'application/json',
  'user-agent': 'Clockproof',
  'accept-encoding': 'identity',
} as const;

/** Longest time to connect, and for a whole delivery. */
export const patience = { connectMilliseconds: 10 * second, totalMilliseconds: 15 * second } as const;

const readBytes = 64 * 1024;
const keptBytes = 1024;
const headerBytes = 16 * 1024;
/** Addresses whose form was checked. */
const maxRemembered = 500;
/** A connection that is not used for so long is closed; many servers close theirs after five seconds. */
const idleMilliseconds = 2 * second;
/** After this time a new connection is made, and its address checked. */
const keptMilliseconds = 30 * second;

/** One connection at a time, to one address. */
interface Way {
  readonly client: Client;
  readonly madeAt: Instant;
}

/** The system's resolver: `/etc/hosts` and DNS. */
export const resolveBySystem: ResolveHost = async (hostname) =>
  (await systemLookup(hostname, { all: true, verbatim: true })) as ResolvedAddress[];

export function createWebhookSender({
  allowPrivateTargets,
  clock,
  log,
  resolveHost = resolveBySystem,
  trustedCertificates,
  connectMilliseconds = patience.connectMilliseconds,
  totalMilliseconds = patience.totalMilliseconds,
}: SenderOptions): SendWebhook {
  const idleWays = createIdleWays(clock);
  const target = memoize((text) => parseTarget(text, allowPrivateTargets));

  async function makeWay(url: URL, isKept: boolean): Promise<Way> {
    const { Client } = await undici();
    // Its own client: proxy settings in the environment do not apply.
    const client = new Client(url.origin, {
      pipelining: isKept ? 1 : 0,
      maxHeaderSize: headerBytes,
      allowH2: false,
      keepAliveTimeout: idleMilliseconds,
      keepAliveMaxTimeout: idleMilliseconds,
      connect: {
        lookup: checkedLookup(url, resolveHost, allowPrivateTargets),
        timeout: connectMilliseconds,
        maxCachedSessions: 0,
        autoSelectFamily: true,
        rejectUnauthorized: true,
        ca: trustedCertificates,
      },
    });
    return { client, madeAt: clock() };
  }

  return async ({ url: text, id, body, secrets, line, at: startedAt = clock() }) => {
    // Sockets do not resolve literal addresses, so these are checked here. They were checked when saved, but the
    // setting may have changed since.
    const url = target(text);
    const unreachable = (reason: string): Attempt => {
      // Paths and queries of addresses may contain a receiver's secrets.
      log.info({ event: id, host: url?.host, reason }, 'webhook not delivered');
      return { outcome: 'unreachable', milliseconds: clock() - startedAt };
    };
    if (url === undefined) return unreachable('the address is not allowed');
    const bytes = Buffer.from(body);
    const name = line === undefined ? undefined : `${line} ${url.origin}`;
    const idleWay = name === undefined ? undefined : idleWays.take(name);
    let way = idleWay ?? (await makeWay(url, name !== undefined));
    let isOver = false;
    // Destroying the client ends every stage. Aborting the request would not: undici notices that only once it is
    // connected.
    const deadline = setTimeout(() => {
      isOver = true;
      way.client.destroy(new Error('no whole answer in time')).catch(() => undefined);
    }, totalMilliseconds);
    const post = () =>
      exchange(way.client, {
        path: url.pathname + url.search,
        method: 'POST',
        body: bytes,
        headers: {
          ...fixedHeaders,
          ...signedHeaders(id, Math.floor(startedAt / second), bytes, secrets),
        },
      });
    let isClean = false;
    try {
      const answer = await post().catch(async (error: unknown) => {
        // The other side closed the connection while it was idle: that says nothing about this delivery.
        if (idleWay === undefined || isOver || !wasClosed(error)) throw error;
        await way.client.destroy();
        way = await makeWay(url, true);
        if (isOver) throw error;
        return post();
      });
      const { status, beginning, isComplete } = answer;
      isClean = isComplete;
      const isPlain = [undefined, '', 'identity'].includes(headerOf(answer, 'content-encoding')?.trim().toLowerCase());
      const retryAfter = headerOf(answer, 'retry-after');
      return {
        outcome: status >= 200 && status <= 299 && isComplete && isPlain ? 'delivered' : 'refused',
        status,
        milliseconds: clock() - startedAt,
        // NUL is the one character that PostgreSQL does not store.
        answer: isPlain ? beginning.toString('utf8').replaceAll('\0', '\ufffd') : '',
        retryAfter,
      };
    } catch (error) {
      return unreachable(reasonOf(error));
    } finally {
      clearTimeout(deadline);
      if (name !== undefined && isClean && !isOver) idleWays.keep(name, way);
      else await way.client.destroy();
    }
  };
}

/** Loaded at the first delivery, not at the start. */
let undiciModule: Promise<typeof import('undici')> | undefined;
function undici(): Promise<typeof import('undici')> {
  undiciModule ??= import('undici');
  return undiciModule;
}

/** Connections that wait for the next delivery of their line. */
function createIdleWays(clock: () => Instant): {
  take(name: string): Way | undefined;
  keep(name: string, way: Way): void;
} {
  const ways = new Map<string, Map<Way, NodeJS.Timeout>>();
  function remove(name: string, way: Way): void {
    const timers = ways.get(name);
    clearTimeout(timers?.get(way));
    timers?.delete(way);
    if (timers?.size === 0) ways.delete(name);
  }
  const close = ({ client }: Way) => void client.destroy().catch(() => undefined);
  return {
    take(name) {
      for (const way of [...(ways.get(name)?.keys() ?? [])].reverse()) {
        remove(name, way);
        if (clock() - way.madeAt < keptMilliseconds) return way;
        close(way);
      }
      return undefined;
    },
    keep(name, way) {
      const timers = ways.get(name) ?? new Map<Way, NodeJS.Timeout>();
      ways.set(name, timers);
      const timer = setTimeout(() => {
        remove(name, way);
        close(way);
      }, idleMilliseconds);
      timer.unref();
      timers.set(way, timer);
    },
  };
}

/** Whether the connection ended without an answer. */
function wasClosed(error: unknown): boolean {
  if (error instanceof Interrupted) return false;
  const { code } = error as { readonly code?: string };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** Returns the addresses a name resolves to, and the socket connects to them. */
export function checkedLookup({ protocol }: URL, resolveHost: ResolveHost, allowPrivate: boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    checkedAddresses(hostname, protocol, resolveHost, allowPrivate).then(
      (addresses) =>
        all === true ? callback(null, [...addresses]) : callback(null, addresses[0]!.address, addresses[0]!.family),
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    );
  };
}

/**
 * @throws Error one of the addresses is not allowed: a name with both internal and external addresses is not an
 * accident
 */
async function checkedAddresses(
  hostname: string,
  protocol: string,
  resolveHost: ResolveHost,
  allowPrivate: boolean,
): Promise<readonly ResolvedAddress[]> {
  const addresses = await resolveHost(hostname);
  if (addresses.length === 0) throw new Error('the name has no address');
  for (const { address } of addresses)
    if (!mayDial(protocol, address, allowPrivate))
      throw new Error(`the name leads to ${address}, which is not allowed`);
  return addresses;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly beginning: Buffer;
  /** false: there was more than is read. */
  readonly isComplete: boolean;
}

/** The answer had begun. */
class Interrupted extends Error {}

/**
 * One request and its answer, of which at most 64 KiB are read, as received; nothing is decompressed. The higher
 * functions of undici make a stream of every body, which costs more than the request.
 */
function exchange(client: Client, options: Dispatcher.DispatchOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let head: Pick<Answer, 'status' | 'headers'> | undefined;
    const chunks: Buffer[] = [];
    let byteCount = 0;
    client.dispatch(options, {
      onRequestStart() {},
      onResponseStart(_, status, headers) {
        // Interim answers come before the one that counts.
        if (status >= 200) head = { status, headers };
      },
      onResponseData(controller, chunk) {
        if (byteCount < keptBytes) chunks.push(chunk.subarray(0, keptBytes - byteCount));
        byteCount += chunk.length;
        if (byteCount <= readBytes) return;
        resolve({ ...head!, beginning: Buffer.concat(chunks), isComplete: false });
        controller.abort(new Error('more than is read'));
      },
      onResponseEnd: () => resolve({ ...head!, beginning: Buffer.concat(chunks), isComplete: true }),
      onResponseError: (_, error) =>
        reject(head === undefined ? error : new Interrupted(reasonOf(error), { cause: error })),
    });
  });
}

/** Addresses are few and rules about them never change while the process runs. */
function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const cache = new Map<string, Result>();
  return (text) => {
    if (!cache.has(text)) {
      if (cache.size >= maxRemembered) cache.clear();
      cache.set(text, compute(text));
    }
    return cache.get(text)!;
  };
}

function headerOf({ headers }: Answer, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return [code, message].filter((part) => part !== undefined && part !== '').join(': ') || 'unknown';
}
