/** HTTP with undici. Every answer to a documented operation is held against the documents. */
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Contract, Operation } from './contract.js';
import { at } from './json.js';
import { Breach, Inconclusive } from './outcome.js';
import { currentTime, type Pace } from './pace.js';

export interface RequestContent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string>> | string;
  /** Sent as it is; with its `content-type` in `headers`. */
  readonly raw?: string | Buffer;
  /** Sends the body in this many pieces, so many milliseconds apart. */
  readonly slowly?: { readonly pieces: number; readonly pauseMs: number };
  /** Waits and repeats a 429 or 503 that says when to come back, unless this is false. */
  readonly patient?: boolean;
}

export class Answer {
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;

  constructor(request: string, status: number, headers: Answer['headers'], text: string) {
    this.request = request;
    this.status = status;
    this.headers = headers;
    this.text = text;
    try {
      this.json = text === '' ? undefined : JSON.parse(text);
    } catch {
      this.json = undefined;
    }
  }

  get(path: string): unknown {
    return at(this.json, path);
  }

  /** @throws Breach the member is missing or no text */
  string(path: string): string {
    const value = this.get(path);
    if (typeof value !== 'string')
      throw new Breach(`${this.request} answered ${this.status} without ${path}: ${this.brief()}`);
    return value;
  }

  number(path: string): number {
    const value = this.get(path);
    if (typeof value !== 'number')
      throw new Breach(`${this.request} answered ${this.status} without ${path}: ${this.brief()}`);
    return value;
  }

  list(path: string): readonly unknown[] {
    const value = this.get(path);
    if (!Array.isArray(value))
      throw new Breach(`${this.request} answered ${this.status} without ${path}: ${this.brief()}`);
    return value;
  }

  header(name: string): string | undefined {
    const value = this.headers[name];
    return Array.isArray(value) ? value.join(', ') : (value as string | undefined);
  }

  /** Milliseconds of `Retry-After`, which is a number or a date; a minute at most, a second if there is none. */
  get retryAfter(): number {
    const retryAfter = this.header('retry-after') ?? '';
    const wait = Number(retryAfter) * 1_000 || Date.parse(retryAfter) - Date.now() || 1_000;
    return Math.min(Math.max(wait, 0), 60_000);
  }

  /** @throws Breach another status or code */
  is(status: number, code?: string): this {
    if (this.status !== status || (code !== undefined && this.get('code') !== code))
      throw new Breach(
        `${this.request}: expected ${status}${code === undefined ? '' : ` ${code}`}, got ${this.status} ${this.brief()}`,
      );
    return this;
  }

  brief(): string {
    return this.text.length > 300 ? `${this.text.slice(0, 300)}…` : this.text;
  }
}

/** The deployment says when to come back. */
export class Busy extends Inconclusive {
  /** Milliseconds. */
  readonly wait: number;
  constructor(answer: Answer) {
    super(`${answer.request}: ${answer.status} ${answer.brief()}`);
    this.wait = answer.retryAfter;
  }
}

/** Waits for as long as Retry-After says, and tries again. */
export async function whileBusy<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++)
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Busy) || tries > 5) throw error;
      await pause(error.wait);
    }
}

/** A request, with its answer. */
export interface Exchange {
  readonly document: 'service' | 'indexer' | undefined;
  /** The operation of the documents, if it is one. */
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  /** As sent, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A value that was sent as JSON, a form, or text. */
  readonly body: unknown;
  /** Undefined if none came: it may have had its effect, then or later. */
  readonly answer: Answer | undefined;
  /** Before the request and after the answer, by the clock of this machine, milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** @throws Inconclusive a proxy may have answered: the deployment's own errors have a code, or a documented page */
export function ensureOfDeployment(
  contract: Contract,
  document: 'service' | 'indexer',
  operation: Operation | undefined,
  answer: Answer,
): void {
  const { request, status } = answer;
  if (!contract.mayBeProxied(document)) return;
  const page = status >= 400 && /^text\/html\b/i.test(answer.header('content-type') ?? '');
  const gateway = [502, 503, 504].includes(status) && typeof answer.get('code') !== 'string';
  if (gateway || (page && !contract.hasPage(operation, status)))
    throw new Inconclusive(`${request}: ${status} without a code, by something before the deployment`);
}

async function* inPieces(body: Buffer, { pieces, pauseMs }: NonNullable<RequestContent['slowly']>) {
  const size = Math.ceil(body.length / pieces);
  for (let from = 0; from < body.length; from += size) {
    if (from > 0) await pause(pauseMs);
    yield body.subarray(from, from + size);
  }
}

export class Client {
  readonly base: string;
  readonly document: 'service' | 'indexer' | undefined;
  readonly #contract: Contract | undefined;
  readonly #connections: Connections;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #pace: Pace | undefined;
  readonly #record: ((exchange: Exchange) => void) | undefined;

  constructor(
    base: string,
    document: 'service' | 'indexer' | undefined,
    contract: Contract | undefined,
    options: {
      connections?: Connections;
      headers?: Readonly<Record<string, string>>;
      pace?: Pace | undefined;
      /** Called with every request once it has ended. */
      record?: ((exchange: Exchange) => void) | undefined;
    } = {},
  ) {
    this.base = base.replace(/\/$/, '');
    this.document = document;
    this.#contract = contract;
    this.#connections = options.connections ?? new Connections(undefined);
    this.#headers = options.headers ?? {};
    this.#pace = options.pace;
    this.#record = options.record;
  }

  with(headers: Readonly<Record<string, string>>): Client {
    return new Client(this.base, this.document, this.#contract, {
      connections: this.#connections,
      headers: { ...this.#headers, ...headers },
      pace: this.#pace,
      record: this.#record,
    });
  }

  /** Another client address, where this machine has one for it. */
  from(connections: Connections): Client {
    return new Client(this.base, this.document, this.#contract, {
      connections,
      headers: this.#headers,
      pace: this.#pace,
      record: this.#record,
    });
  }

  get = (path: string, request: RequestContent = {}) => this.call('GET', path, request);
  post = (path: string, json?: unknown, request: RequestContent = {}) =>
    this.call('POST', path, json === undefined ? request : { ...request, json });
  patch = (path: string, json: unknown, request: RequestContent = {}) => this.call('PATCH', path, { ...request, json });
  delete = (path: string, request: RequestContent = {}) => this.call('DELETE', path, request);

  async call(method: string, path: string, content: RequestContent = {}): Promise<Answer> {
    const headers: Record<string, string> = { ...this.#headers };
    let body: string | Buffer | undefined;
    if (content.json !== undefined) {
      body = JSON.stringify(content.json);
      headers['content-type'] = 'application/json';
    } else if (content.form !== undefined) {
      body = typeof content.form === 'string' ? content.form : new URLSearchParams(content.form).toString();
      headers['content-type'] = 'application/x-www-form-urlencoded';
    } else if (content.raw !== undefined) body = content.raw;
    const { slowly } = content;
    if (slowly !== undefined) headers['content-length'] = String(Buffer.byteLength(body ?? ''));
    Object.assign(headers, content.headers);
    const operation =
      this.document === undefined ? undefined : this.#contract?.operationAt(this.document, method, path);
    for (let tries = 0; ; tries++) {
      const startedAt = performance.now();
      const from = currentTime();
      let answer: Answer | undefined;
      try {
        const response = await request(this.base + path, {
          method: method as 'GET',
          headers,
          body: slowly === undefined ? (body ?? null) : Readable.from(inPieces(Buffer.from(body ?? ''), slowly)),
          dispatcher: this.#connections.agent,
          headersTimeout: 40_000,
          bodyTimeout: 40_000,
        });
        const text = await response.body.text();
        answer = new Answer(`${method} ${path.slice(0, 120)}`, response.statusCode, response.headers, text);
      } finally {
        const sentBody = content.json ?? content.form ?? content.raw;
        const until = currentTime();
        const { document } = this;
        const id = operation?.id;
        this.#record?.({ document, operation: id, method, path, headers, body: sentBody, answer, from, until });
      }
      // Some answers are meant to take long.
      if (slowly === undefined && !/[?&]wait=/.test(path)) this.#pace?.record(performance.now() - startedAt);
      if (this.document !== undefined && this.#contract !== undefined)
        ensureOfDeployment(this.#contract, this.document, operation, answer);
      if (operation !== undefined) this.#contract?.judge(operation, answer);
      const isUnavailable =
        answer.status === 503 && typeof answer.get('code') === 'string' && answer.header('retry-after') !== undefined;
      if (answer.status !== 429 && !isUnavailable) return answer;
      if (content.patient === false || tries > 5) {
        if (isUnavailable) throw new Busy(answer);
        return answer;
      }
      await pause(answer.retryAfter);
    }
  }
}

/** Connections to one deployment. They come from an address of their own, so that limits per address do not meet. */
export class Connections {
  readonly #localAddress: string | undefined;
  #agent: Agent;

  constructor(localAddress: string | undefined) {
    this.#localAddress = localAddress;
    this.#agent = this.#open();
  }

  get agent(): Agent {
    return this.#agent;
  }

  /** New connections for further requests: one that was idle may have been closed by the other side. */
  renew(): void {
    const previousAgent = this.#agent;
    this.#agent = this.#open();
    previousAgent.close().catch(() => undefined);
  }

  #open(): Agent {
    return new Agent({
      connections: 64,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      ...(this.#localAddress === undefined
        ? {}
        : { localAddress: this.#localAddress, connect: { family: 4 } as never }),
    });
  }
}
