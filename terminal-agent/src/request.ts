import { sha256 } from '@noble/hashes/sha2.js';
import type { RandomBytes, TerminalKey } from './key.js';

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

/** The service did what was asked. */
export interface Answered {
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
}
/** No answer, or none that can be understood. Whether the service did what was asked is unknown. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly reason: string;
}
export type Reply = Answered | Refused | Unanswered;

export interface ServiceClientOptions {
  readonly serviceUrl: URL;
  readonly fetch: Fetch;
  /** Milliseconds since 1970 by this PC's clock. */
  readonly now: () => number;
  readonly random: RandomBytes;
  /** Milliseconds. */
  readonly timeout: number;
  /** Who signs; without it requests go out unsigned (pairing). */
  readonly signer?: { readonly terminalId: string; readonly key: TerminalKey };
}

export interface ServiceClient {
  call(operation: Operation, body?: object): Promise<Reply>;
}

const maximumAnswer = 256 * 1024;

/**
 * Sends requests, signed freshly each time. The PC's clock may be wrong: every `server_time` that the service sends
 * corrects the time that requests are
 * signed with, and a request refused for its time is sent once more.
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  /** Service's clock less ours, milliseconds. */
  let ahead = 0;

  const learn = (body: unknown): void => {
    const sent = member(body, 'server_time');
    const instant = typeof sent === 'string' ? Date.parse(sent) : Number.NaN;
    if (Number.isFinite(instant)) ahead = instant - options.now();
  };

  const once = async (
    operation: Operation,
    body: string | undefined,
  ): Promise<{ readonly reply: Reply; readonly body: unknown }> => {
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
          time: Math.floor((options.now() + ahead) / 1_000),
          nonce: Buffer.from(options.random(16)).toString('base64url'),
        }),
      );
    }
    try {
      const answer = await options.fetch(url.href, {
        method: operation.method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(options.timeout),
      });
      const read = parse(await readBody(answer.body));
      return { reply: classify(answer.status, read, answer.headers.get('retry-after')), body: read };
    } catch (error) {
      return { reply: { kind: 'unanswered', reason: reasonOf(error) }, body: undefined };
    }
  };

  return {
    async call(operation, body) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const first = await once(operation, text);
      learn(first.body);
      if (first.reply.kind !== 'refused' || first.reply.code !== 'signature_time') return first.reply;
      const second = await once(operation, text);
      learn(second.body);
      return second.reply;
    },
  };
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
  return { kind: 'refused', status, code, error, ...(seconds === undefined ? {} : { retryAfter: seconds * 1_000 }) };
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

/** The innermost cause says what happened: ECONNREFUSED, a certificate, a timeout. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as {
    readonly name?: unknown;
    readonly message?: unknown;
    readonly cause?: unknown;
  };
  if (name === 'TimeoutError') return 'no answer in time';
  return typeof cause === 'object' && cause !== null ? reasonOf(cause) : String(message ?? error);
}
