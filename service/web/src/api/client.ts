/** Requests of the contract, by openapi-fetch: a request outside of the contract does not compile. */
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../../src/generated/page-types.js';

interface Answered {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Send = (path: string, request?: { readonly parseAs?: string }) => Promise<Answered>;

// The current fetch: tests and the demo put another in its place.
const plainClient = createClient<paths>({
  fetch: (request) => fetch(request),
  headers: { accept: 'application/json' },
  // The contract has no other form of a list in an address.
  querySerializer: { array: { style: 'form', explode: false } },
});

/** Change requests in flight by their content, and the number of all so far. */
const pendingChanges = new Map<string, Promise<Answered>>();
let changes = 0;
/** The latest change, kept for a moment: the second press of a double tap asks for it again. */
let latestChange: { readonly key: string; readonly answer: Answered } | undefined;
const doubleTapMs = 1_000;

/** A change that failed after its page was left: no page reports it any more. */
export interface LeftFailure {
  /** Title of the page. */
  readonly title: string;
  readonly answering: Promise<Answered>;
  again(): Promise<Answered>;
}
let tellLeftFailure: (failure: LeftFailure) => void = () => undefined;
export function onLeftFailure(tell: (failure: LeftFailure) => void): void {
  tellLeftFailure = tell;
}

/** The largest body, in characters, of a request that a browser finishes after it has left the page. */
const keepaliveLimit = 16_000;

/**
 * Some changes give the session a new cookie, as proving the second factor does. Requests sent beside them with the old
 * cookie are refused although nobody signed out, so they are repeated once.
 */
const inSession =
  (method: Method, isWatched: boolean): Send =>
  async (path, request) => {
    const send = (init?: object) => (plainClient[method] as unknown as Send)(path, { ...init, ...request });
    // A button starts a download, too.
    if (method !== 'GET' || request?.parseAs !== undefined) {
      // A button that is pressed twice sends one request.
      const key = JSON.stringify([method, path, request]);
      const pendingChange = pendingChanges.get(key);
      if (pendingChange !== undefined) return await pendingChange;
      if (latestChange?.key === key) return latestChange.answer;
      latestChange = undefined;
      const keepalive = method !== 'GET' && key.length < keepaliveLimit;
      const change = send({ keepalive }).finally(() => pendingChanges.delete(key));
      changes++;
      pendingChanges.set(key, change);
      if (isWatched && method !== 'GET') watch(change, path, () => inSession(method, false)(path, request));
      const answer = await change;
      if (answer.response.ok) keepForDoubleTap(key, answer);
      return answer;
    }
    const changesBefore = pendingChanges.size > 0 ? undefined : changes;
    const answer = await send();
    if (answer.response.status !== 401 || changesBefore === changes) return answer;
    await Promise.allSettled(pendingChanges.values());
    return await send();
  };

function watch(answering: Promise<Answered>, path: string, repeat: LeftFailure['again']): void {
  // A failed preview loses nothing.
  if (path.includes('preview')) return;
  const { pathname } = location;
  const title = document.title.replace(/ – Clockproof$/, '');
  const tell = () => {
    if (location.pathname !== pathname) tellLeftFailure({ title, answering, again: repeat });
  };
  answering.then(({ response }) => response.ok || tell(), tell);
}

function keepForDoubleTap(key: string, answer: Answered): void {
  const latestAnswer = { key, answer };
  latestChange = latestAnswer;
  setTimeout(() => {
    if (latestChange === latestAnswer) latestChange = undefined;
  }, doubleTapMs);
}

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const clientOf = (isWatched: boolean) =>
  Object.fromEntries(methods.map((method) => [method, inSession(method, isWatched)])) as unknown as Pick<
    Client<paths>,
    Method
  >;

export const client = clientOf(true);
/** For the outbox, which reports failures itself. */
export const outboxClient = clientOf(false);
