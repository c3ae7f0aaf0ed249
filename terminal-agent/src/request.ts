import { sha256 } from '@noble/hashes/sha2.js';
import type { RandomBytes, TerminalKey } from './key.js';
import type { Sleep } from './sleep.js';

/** As much of the Fetch standard as the agent uses. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}>;

export interface Operation {
  readonly method: string;
  /** Below the service's address: `/api/v1/terminal/card`. */
  readonly path: string;
}

/** The service accepted the request. */
export interface Success {
  readonly kind: 'answered';
  readonly body: unknown;
}
/** The service said no, and changed nothing. */
export interface Refused {
  readonly kind: 'refused';
  readonly status: number;
  /** Word for a program, from the contract. */
  readonly code: string;
  /** Sentence for a person. */
  readonly error: string;
  /** Milliseconds that `Retry-After` asks to wait. */
  readonly retryAfter?: number;
  /** The whole answer, for the members of single codes. */
  readonly body: unknown;
}
/** No answer, or none that can be understood. The service may have acted on the request or not. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly reason: string;
}
export type Reply = Success | Refused | Unanswered;

export interface ServiceClientOptions {
  readonly serviceUrl: URL;
  readonly fetch: Fetch;
  /** Milliseconds since 1970 by this PC's clock. */
  readonly now: () => number;
  /** Milliseconds, by a clock that nothing sets. */
  readonly elapsed: () => number;
  /** Milliseconds since the PC was started. */
  readonly uptime: () => number;
  readonly random: RandomBytes;
  readonly sleep: Sleep;
  /** Milliseconds. */
  readonly timeout: number;
  /** The signer; without it requests are unsigned (pairing). */
  readonly signer?: { readonly terminalId: string; readonly key: TerminalKey };
}

export interface ServiceClient {
  call(operation: Operation, body?: object): Promise<Reply>;
  /**
   * As {@link ServiceClient.call}, but a request without an answer is sent again for ten seconds, byte for byte, with
   * its nonce and signature: the service acts on it once. `nonce_reused` then means that it had arrived; the body of
   * the refusal says more.
   *
   * @param outcome `now` if the service knows the outcome as soon as it has used up the nonce, else `later`.
   */
  callSurely(operation: Operation, body: object | undefined, outcome: 'now' | 'later'): Promise<Reply>;
  /**
   * The service's clock, milliseconds since 1970. It goes on from the last answer, whatever our own clock is set to;
   * before the first answer it is our own.
   */
  now(): number;
  /** By how much our clock is ahead of the service's, in milliseconds; undefined before the first answer. */
  clockOffset(): number | undefined;
}

const maximumAnswer = 256 * 1024;
/** Milliseconds for which a request without an answer is sent again, between two attempts, and for each of them. */
const repetition = { patience: 10_000, pause: 500, timeout: 3_000, attempts: 15 };

/**
 * Sends requests, signed freshly each time. The PC's clock may be wrong, or be set: every `server_time` that the service
 * sends corrects the time that requests are signed with, and a request refused for its time is sent once more.
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  /** The service's clock when this PC was started. */
  let serviceStart: number | undefined;
  const now = () => (serviceStart === undefined ? options.now() : Math.round(serviceStart + options.uptime()));

  const learn = (body: unknown): void => {
    // There it is the instant of an earlier stamp.
    if (member(body, 'repeated') === true) return;
    const serverTime = member(body, 'server_time');
    const instant = typeof serverTime === 'string' ? Date.parse(serverTime) : Number.NaN;
    if (!Number.isFinite(instant)) return;
    serviceStart = instant - options.uptime();
  };

  interface Prepared {
    readonly url: string;
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body: string | undefined;
  }

  const prepare = (operation: Operation, body: string | undefined): Prepared => {
    const url = new URL(options.serviceUrl.pathname.replace(/\/$/, '') + operation.path, options.serviceUrl);
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    if (options.signer !== undefined) {
      Object.assign(
        headers,
        signedHeaders({
          ...options.signer,
          method: operation.method,
          path: url.pathname + url.search,
          body: Buffer.from(body ?? '', 'utf8'),
          time: Math.floor(now() / 1_000),
          nonce: Buffer.from(options.random(16)).toString('base64url'),
        }),
      );
    }
    return { url: url.href, method: operation.method, headers, body };
  };

  const send = async ({ url, method, headers, body }: Prepared, timeout: number): Promise<Reply> => {
    try {
      const answer = await options.fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
      });
      const reply = parse(await readBody(answer.body));
      learn(reply);
      return classify(answer.status, reply, answer.headers.get('retry-after'));
    } catch (error) {
      return { kind: 'unanswered', reason: reasonOf(error) };
    }
  };

  /** Signed again if the service corrected our clock. */
  const start = async (
    operation: Operation,
    body: object | undefined,
    timeout: number,
  ): Promise<{ readonly prepared: Prepared; readonly reply: Reply }> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const first = prepare(operation, text);
    const reply = await send(first, timeout);
    if (reply.kind !== 'refused' || reply.code !== 'signature_time') return { prepared: first, reply };
    const second = prepare(operation, text);
    return { prepared: second, reply: await send(second, timeout) };
  };

  return {
    now,
    clockOffset: () => (serviceStart === undefined ? undefined : options.now() - now()),
    call: async (operation, body) => (await start(operation, body, options.timeout)).reply,
    async callSurely(operation, body, outcome) {
      const timeout = Math.min(options.timeout, repetition.timeout);
      const end = options.elapsed() + repetition.patience;
      const { prepared, reply: first } = await start(operation, body, timeout);
      let reply = first;
      for (let attempt = 1; !isCertain(reply, attempt, outcome) && attempt < repetition.attempts; attempt += 1) {
        await options.sleep(repetition.pause);
        if (options.elapsed() >= end) return reply;
        reply = await send(prepared, timeout);
      }
      return reply;
    },
  };
}

/** True if an answer tells the outcome of the request; a repeated one may still be under way. */
function isCertain(reply: Reply, attempt: number, outcome: 'now' | 'later'): boolean {
  if (reply.kind === 'unanswered') return false;
  if (reply.kind === 'answered' || attempt === 1) return true;
  if (reply.code === 'nonce_reused') return outcome === 'now' || member(reply.body, 'outcome') !== undefined;
  return reply.code !== 'unavailable' && reply.code !== 'rate_limited';
}

export interface RequestToSign {
  readonly terminalId: string;
  readonly key: TerminalKey;
  readonly method: string;
  /** Request target as it stands in the request line. */
  readonly path: string;
  readonly body: Uint8Array;
  /** Unix seconds. */
  readonly time: number;
  readonly nonce: string;
}

/** The four headers of a signed request. */
export function signedHeaders(request: RequestToSign): Record<string, string> {
  return {
    'service-terminal': request.terminalId,
    'service-time': String(request.time),
    'service-nonce': request.nonce,
    'service-signature': Buffer.from(request.key.sign(stringToSign(request))).toString('base64'),
  };
}

/**
 * Six lines joined by line feeds, none at the end: label, method, target, time, nonce, SHA-256 of the body in
 * lower-case hexadecimal.
 */
export function stringToSign(request: Omit<RequestToSign, 'terminalId' | 'key'>): Uint8Array {
  const bodyHash = Buffer.from(sha256(request.body)).toString('hex');
  return Buffer.from(
    ['service-terminal-v1', request.method, request.path, String(request.time), request.nonce, bodyHash].join('\n'),
    'utf8',
  );
}

function classify(status: number, body: unknown, retryAfter: string | null): Reply {
  if (status >= 200 && status < 300)
    return body === unreadable
      ? { kind: 'unanswered', reason: `an answer ${status} that is no JSON` }
      : { kind: 'answered', body };
  const code = member(body, 'code');
  const error = member(body, 'error');
  // A refusal without a code is not the service's: a proxy in between that gave up may have passed the request on
  // before.
  if (typeof code !== 'string' || typeof error !== 'string')
    return { kind: 'unanswered', reason: `an answer ${status} that is not the service's` };
  const seconds = retryAfter !== null && /^[0-9]{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const retry = seconds === undefined ? {} : { retryAfter: seconds * 1_000 };
  return { kind: 'refused', status, code, error, body, ...retry };
}

const unreadable = Symbol('unreadable');

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return unreadable;
  }
}

async function readBody(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > maximumAnswer) throw new Error('an answer that is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

/** The innermost cause names the fault: ECONNREFUSED, a certificate, a timeout. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as {
    readonly name?: unknown;
    readonly message?: unknown;
    readonly cause?: unknown;
  };
  if (name === 'TimeoutError') return 'no answer in time';
  return typeof cause === 'object' && cause !== null ? reasonOf(cause) : String(message ?? error);
}
