/**
 * One question to a ledger node, bounded in time and size, and every way it can fail sorted by what to do about it.
 * A node is not trusted to be well: it may answer HTML, half an answer, an endless one, or errors with status 200.
 */

/** The part of `fetch` that is used. `undici`'s and Node's own both fit. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'POST';
    readonly headers: Record<string, string>;
    readonly body: string;
    /** A redirect is an answer like any other and never followed. */
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<FetchAnswer>;
export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/**
 * `retry`: the same question may succeed later. `smaller`: ask for less, later. `schema`: the node does not know a
 * field, so look again which dialect it speaks.
 * `pruned`: the node no longer has it. `refused`: the question itself is wrong; asking again gives the same.
 */
export type LedgerFailureKind = 'retry' | 'smaller' | 'schema' | 'pruned' | 'refused';

export class LedgerFailure extends Error {
  override readonly name = 'LedgerFailure';
  constructor(
    readonly kind: LedgerFailureKind,
    message: string,
    /**
     * The word the node or the transport used: `HTTP_429`, `REQUEST_TIMEOUT`, `NETWORK`; label of a metric, so from a
     * small set.
     */
    readonly code: string,
    /** The node asked to be left alone for so long. */
    readonly retryAfterMilliseconds?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export type Ask = <T>(document: string, variables?: Readonly<Record<string, unknown>>) => Promise<T>;

export interface GraphqlOptions {
  readonly url: string;
  readonly fetch: Fetch;
  /** A node gives up after 40 s itself; a client that waits less never learns why. */
  readonly timeoutMilliseconds?: number;
  readonly maxBytes?: number;
  /** Ends every question, also those on their way, for a process that stops. */
  readonly signal?: AbortSignal;
}

const maxRetryAfter = 10 * 60_000;
/** No answer to our questions nests deeper, layouts of types included. */
const maxDepth = 128;
/** Lists, objects and members in one answer: parsed, each takes many times its bytes. */
const maxValues = 1_000_000;

/**
 * @returns a function that answers `data`, or throws {@link LedgerFailure}. `errors` beside `data` is a failure: half
 * an answer must not move anything.
 */
export function createGraphqlClient({
  url,
  fetch,
  timeoutMilliseconds = 45_000,
  maxBytes = 16 * 1024 * 1024,
  signal,
}: GraphqlOptions): Ask {
  return async <T>(document: string, variables: Readonly<Record<string, unknown>> = {}) => {
    const abort = new AbortController();
    const stop = () => abort.abort(new LedgerFailure('retry', 'the process is stopping', 'STOPPED'));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(
      () => abort.abort(new LedgerFailure('smaller', `no answer within ${timeoutMilliseconds} ms`, 'TIMEOUT')),
      timeoutMilliseconds,
    );
    timer.unref();
    // A fetch that was handed in need not watch the signal, neither before nor while the body trickles in.
    const interruption = new Promise<never>((_, reject) =>
      abort.signal.addEventListener('abort', () => reject(abort.signal.reason as Error), { once: true }),
    );
    interruption.catch(() => undefined);
    try {
      abort.signal.throwIfAborted();
      const answer = await Promise.race([
        interruption,
        fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({ query: document, variables }),
          redirect: 'manual',
          signal: abort.signal,
        }),
      ]);
      const text = await readText(answer, maxBytes, abort, interruption);
      return dataOf<T>(answer, text);
    } catch (error) {
      if (error instanceof LedgerFailure) throw error;
      if (abort.signal.reason instanceof LedgerFailure) throw abort.signal.reason;
      throw new LedgerFailure('retry', `the node cannot be reached: ${reasonOf(error)}`, 'NETWORK', undefined, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  };
}

async function readText(
  answer: FetchAnswer,
  maxBytes: number,
  abort: AbortController,
  interruption: Promise<never>,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  const shape = createJsonShape();
  let size = 0;
  const iterator = (answer.body ?? empty())[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), interruption]);
    if (next.done === true) break;
    size += next.value.byteLength;
    if (size > maxBytes) {
      abort.abort(new LedgerFailure('smaller', `the answer is longer than ${maxBytes} bytes`, 'TOO_LARGE'));
      throw abort.signal.reason;
    }
    const fault = shape(next.value);
    if (fault !== undefined) {
      abort.abort(fault);
      throw fault;
    }
    chunks.push(next.value);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/**
 * Watches the bytes of a JSON text go by. Parsing a few megabytes of brackets takes hundreds, so an answer is refused
 * before it is parsed.
 * @returns a function that takes the next bytes and answers what is wrong with them
 */
function createJsonShape(): (bytes: Uint8Array) => LedgerFailure | undefined {
  let depth = 0;
  let values = 0;
  let inText = false;
  let isEscaped = false;
  return (bytes) => {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index]!;
      if (inText) {
        if (isEscaped) isEscaped = false;
        else if (byte === 0x5c) isEscaped = true;
        else if (byte === 0x22) inText = false;
        continue;
      }
      if (byte === 0x22) inText = true;
      else if (byte === 0x5b || byte === 0x7b) {
        values++;
        if (++depth > maxDepth)
          return new LedgerFailure('retry', `the answer nests deeper than ${maxDepth} levels`, 'NOT_GRAPHQL');
      } else if (byte === 0x5d || byte === 0x7d) depth--;
      else if (byte === 0x2c) values++;
    }
    return values > maxValues
      ? new LedgerFailure('smaller', `the answer holds more than ${maxValues} values`, 'TOO_LARGE')
      : undefined;
  };
}

async function* empty(): AsyncGenerator<Uint8Array> {
  /* no body */
}

interface GraphqlError {
  readonly message?: unknown;
  readonly extensions?: { readonly code?: unknown } | null;
}

function dataOf<T>(answer: FetchAnswer, text: string): T {
  const { status } = answer;
  if (status === 429 || status >= 500)
    throw new LedgerFailure(
      'retry',
      `the node answered ${status}`,
      `HTTP_${status === 429 ? '429' : '5XX'}`,
      retryAfterOf(answer),
    );
  if (status >= 300 && status < 400)
    throw new LedgerFailure(
      'retry',
      `the node answered ${status}; redirects are not followed, so configure the final address`,
      'HTTP_3XX',
    );
  let body: { data?: unknown; errors?: unknown };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    throw new LedgerFailure(
      'retry',
      `the node answered ${status} with something that is not JSON: ${JSON.stringify(text.slice(0, 80))}`,
      'NOT_JSON',
    );
  }
  if (typeof body !== 'object' || body === null)
    throw new LedgerFailure('retry', 'the node answered JSON that is no GraphQL answer', 'NOT_GRAPHQL');
  if (Array.isArray(body.errors) && body.errors.length > 0) throw failureOf(body.errors as GraphqlError[]);
  if (status >= 400) throw new LedgerFailure('refused', `the node answered ${status}`, 'HTTP_4XX');
  if (typeof body.data !== 'object' || body.data === null)
    throw new LedgerFailure('retry', 'the node answered neither data nor errors', 'NOT_GRAPHQL');
  return body.data as T;
}

/** Codes of sui-indexer-alt-graphql and iota-graphql-rpc. The worst one of several decides. */
function failureOf(errors: readonly GraphqlError[]): LedgerFailure {
  const failures = errors.map(({ message, extensions }) => {
    const code = typeof extensions?.code === 'string' ? extensions.code : 'UNKNOWN';
    const sentence = typeof message === 'string' ? message.slice(0, 300) : 'no message';
    return new LedgerFailure(kindOf(code, sentence), `${code}: ${sentence}`, knownCodes.has(code) ? code : 'UNKNOWN');
  });
  const order: readonly LedgerFailureKind[] = ['schema', 'refused', 'pruned', 'smaller', 'retry'];
  return failures.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0]!;
}

const knownCodes = new Set([
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'FEATURE_UNAVAILABLE',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'INTERNAL_SERVER_ERROR',
  'REQUEST_TIMEOUT',
  'RESOURCE_EXHAUSTED',
  'DATA_PRUNED',
]);

function kindOf(code: string, sentence: string): LedgerFailureKind {
  switch (code) {
    case 'REQUEST_TIMEOUT':
    case 'RESOURCE_EXHAUSTED':
      return 'smaller';
    case 'GRAPHQL_PARSE_FAILED':
    case 'GRAPHQL_VALIDATION_FAILED':
      return 'schema';
    case 'DATA_PRUNED':
      return 'pruned';
    case 'BAD_USER_INPUT':
    case 'BAD_REQUEST':
    case 'FEATURE_UNAVAILABLE':
      if (/page size|too (many|large)|complex/i.test(sentence)) return 'smaller';
      if (/outside (the )?available range|pruned/i.test(sentence)) return 'pruned';
      return 'refused';
    // Some servers validate without giving the code.
    default:
      return /Cannot query field|Unknown (type|argument|field)|is not defined by type/i.test(sentence)
        ? 'schema'
        : 'retry';
  }
}

/** RFC 9110 §10.2.3, in seconds; the date form would need a clock both sides agree on, and is left to the back-off. */
function retryAfterOf(answer: FetchAnswer): number | undefined {
  const text = answer.headers.get('retry-after');
  if (text === null || !/^[0-9]{1,9}$/.test(text.trim())) return undefined;
  return Math.min(Number(text) * 1_000, maxRetryAfter);
}

function reasonOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause;
  return cause instanceof Error
    ? cause.message || String((cause as { code?: unknown }).code)
    : error instanceof Error
      ? error.message
      : String(error);
}
