/**
 * One attempt to deliver one event: a signed POST to an address that is checked at connection time, reading little of
 * the response. No cookies, no proxy from the environment, no redirects, no retry. Its own connection, or for a short time
 * that of an earlier delivery to the same address; each new connection is checked. The caller decides what an outcome
 * means.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Log } from '@clockproof/platform/log';
import { type Instant, second } from '@clockproof/platform/time/instant';
import type { Agent, Dispatcher } from 'undici';
import { signedHeaders } from './signature.js';
import { mayDial, parseTarget } from './targets.js';

export interface Delivery {
  /** The address as it was saved. */
  readonly url: string;
  /** Id of the event. */
  readonly id: string;
  /** JSON */
  readonly body: string;
  /** `whsec_…`, newest first. */
  readonly secrets: readonly string[];
  /** When it is sent, as the signature says; now unless given. */
  readonly at?: Instant;
  /**
   * Deliveries of the same line use the connections of earlier ones, each for one request at a time. Without it there is
   * a connection for this delivery alone.
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
      readonly retryAfter?: string;
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
  readonly resolveHost?: ResolveHost;
  /** Certificates (PEM) trusted instead of the system's. */
  readonly trusted?: string;
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

const readBytes = 64 * 1024;
const keptBytes = 1024;
const headerBytes = 16 * 1024;
/** A connection that is not used for so long is closed; many servers close theirs after five seconds. */
const idleMilliseconds = 2 * second;
/** After this time a new connection is made, and its address checked. */
const keptMilliseconds = 30 * second;

/** One connection at a time, to one address. */
interface Way {
  readonly agent: Agent;
  readonly madeAt: Instant;
}

/** The system's resolver: `/etc/hosts` and DNS. */
const resolveBySystem: ResolveHost = async (hostname) =>
  (await systemLookup(hostname, { all: true, verbatim: true })) as ResolvedAddress[];

export function createWebhookSender({
  allowPrivateTargets,
  clock,
  log,
  resolveHost = resolveBySystem,
  trusted,
  connectMilliseconds = 10 * second,
  totalMilliseconds = 15 * second,
}: SenderOptions): SendWebhook {
  const idle = createIdleWays(clock);

  async function makeWay(url: URL, isKept: boolean): Promise<Way> {
    const { Agent } = await undici();
    // Its own agent: proxy settings in the environment do not apply.
    const agent = new Agent({
      pipelining: isKept ? 1 : 0,
      connections: 1,
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
        ...(trusted === undefined ? {} : { ca: trusted }),
      },
    });
    return { agent, madeAt: clock() };
  }

  return async ({ url: text, id, body, secrets, line, at: started = clock() }) => {
    // Sockets do not resolve literal addresses, so these are checked here. They were checked when saved, but the
    // setting may have changed since.
    const url = parseTarget(text, allowPrivateTargets);
    const unreachable = (reason: string): Attempt => {
      // Paths and queries of addresses may contain a receiver's secrets.
      log.info({ event: id, host: url?.host, reason }, 'webhook not delivered');
      return { outcome: 'unreachable', milliseconds: clock() - started };
    };
    if (url === undefined) return unreachable('the address is not allowed');
    const bytes = Buffer.from(body);
    const { request } = await undici();
    const name = line === undefined ? undefined : `${line} ${url.origin}`;
    const used = name === undefined ? undefined : idle.take(name);
    let way = used ?? (await makeWay(url, name !== undefined));
    let isOver = false;
    // Destroying the agent ends every stage. Aborting the request would not: undici notices that only once it is
    // connected.
    const deadline = setTimeout(() => {
      isOver = true;
      way.agent.destroy(new Error('no whole answer in time')).catch(() => undefined);
    }, totalMilliseconds);
    const post = () =>
      request(url, {
        dispatcher: way.agent,
        method: 'POST',
        body: bytes,
        headers: {
          ...fixedHeaders,
          ...signedHeaders(id, Math.floor(started / second), bytes, secrets),
        },
      });
    let isClean = false;
    try {
      const answer = await post().catch(async (error: unknown) => {
        // The other side closed the connection while it was idle: that says nothing about this delivery.
        if (used === undefined || isOver || !wasClosed(error)) throw error;
        await way.agent.destroy();
        way = await makeWay(url, true);
        if (isOver) throw error;
        return post();
      });
      const { beginning, whole } = await readBeginning(answer.body);
      isClean = whole;
      const plain = [undefined, '', 'identity'].includes(headerOf(answer, 'content-encoding')?.trim().toLowerCase());
      const retryAfter = headerOf(answer, 'retry-after');
      return {
        outcome: answer.statusCode >= 200 && answer.statusCode <= 299 && whole && plain ? 'delivered' : 'refused',
        // NUL is the one character that PostgreSQL does not store.
        status: answer.statusCode,
        milliseconds: clock() - started,
        answer: plain ? beginning.toString('utf8').replaceAll('\0', '\ufffd') : '',
        ...(retryAfter === undefined ? {} : { retryAfter }),
      };
    } catch (error) {
      return unreachable(reasonOf(error));
    } finally {
      clearTimeout(deadline);
      if (name !== undefined && isClean && !isOver) idle.keep(name, way);
      else await way.agent.destroy();
    }
  };
}

/** Loaded at the first delivery, not at the start. */
let loaded: Promise<typeof import('undici')> | undefined;
function undici(): Promise<typeof import('undici')> {
  loaded ??= import('undici');
  return loaded;
}

/** Connections that wait for the next delivery of their line. */
function createIdleWays(clock: () => Instant): {
  take(name: string): Way | undefined;
  keep(name: string, way: Way): void;
} {
  const ways = new Map<string, Map<Way, NodeJS.Timeout>>();
  function remove(name: string, way: Way): void {
    const those = ways.get(name);
    clearTimeout(those?.get(way));
    those?.delete(way);
    if (those?.size === 0) ways.delete(name);
  }
  const close = ({ agent }: Way) => void agent.destroy().catch(() => undefined);
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
      const those = ways.get(name) ?? new Map<Way, NodeJS.Timeout>();
      ways.set(name, those);
      const timer = setTimeout(() => {
        remove(name, way);
        close(way);
      }, idleMilliseconds);
      timer.unref();
      those.set(way, timer);
    },
  };
}

/** Whether the connection ended without a byte of an answer. */
function wasClosed(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** Returns the addresses a name resolves to, and the socket connects to them. */
function checkedLookup({ protocol }: URL, resolveHost: ResolveHost, allowPrivate: boolean): LookupFunction {
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

/** Reads at most 64 KiB as received; nothing is decompressed. */
async function readBeginning(
  body: Dispatcher.ResponseData['body'],
): Promise<{ readonly beginning: Buffer; readonly whole: boolean }> {
  // Cancelling a body is not an error.
  body.on('error', () => undefined);
  const kept: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (read < keptBytes) kept.push(chunk.subarray(0, keptBytes - read));
    read += chunk.length;
    if (read > readBytes) break;
  }
  return { beginning: Buffer.concat(kept), whole: read <= readBytes };
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return [code, message].filter((part) => part !== undefined && part !== '').join(': ') || 'unknown';
}
