/**
 * Decisions of a person that the service may not know yet. The outbox stands above the pages: no page takes it away
 * when it is left. A delivery can be taken back for five seconds and is then sent: at once if the next one comes or the
 * window is hidden or left. A failure stays until the person has read it.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSyncExternalStore } from 'react';
import { isSignedOut, Problem } from './ask.js';
import { type SessionState, sessionOf } from './session.js';

const undoMs = 5_000;
const retryMs = 10_000;

export interface Delivery {
  /** The change that is about to happen: "Approving: 3 requests". */
  readonly intent: ReactNode;
  /** The change that did not happen: "The request of Jana was not decided." */
  readonly failure: ReactNode;
  /** The changed items by their keys in the lists, which show them as changed already. */
  readonly subjects: readonly string[];
  /** The queries that show the change, by the first word of their key; all if undefined. */
  readonly queries?: readonly string[];
  /**
   * Sends it as one request, with `outboxClient`. The service has to treat a repetition as the same request.
   * @returns the refused deliveries @throws Problem of the whole
   */
  send(): Promise<readonly Failure[]>;
}
export interface Failure {
  readonly delivery: Delivery;
  readonly problem: unknown;
}
export interface Item extends Failure {
  readonly id: number;
  /**
   * `held` it can be taken back; `sending`; `unsent` no answer came, it is sent again; `signed_out` it waits for the
   * person to sign in; `failed` it is over.
   */
  readonly state: 'held' | 'sending' | 'unsent' | 'signed_out' | 'failed';
  readonly person: number | undefined;
}

let queries: QueryClient | undefined;
let items: readonly Item[] = [];
let nextId = 1;
let timer: ReturnType<typeof setTimeout> | undefined;
const sending = new Set<Promise<void>>();
const listeners = new Set<() => void>();

/** Begins to follow the connection, the window and the session. */
export function startOutbox(client: QueryClient): void {
  queries = client;
  const leave = () => document.visibilityState === 'hidden' && sendHeld();
  document.addEventListener('visibilitychange', leave);
  addEventListener('pagehide', sendHeld);
  addEventListener('online', retry);
  addEventListener('beforeunload', (event) => {
    const offline = !navigator.onLine;
    if (items.some(({ state }) => ['unsent', 'signed_out'].includes(state) || (offline && state === 'held')))
      event.preventDefault();
  });
  let wasIn = false;
  client.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] !== 'session') return;
    const session = query.state.data as SessionState | undefined;
    // The next person must not see these items.
    const ownItems = items.filter(({ person }) => person === sessionOf(session)?.person.id);
    if (session !== undefined && ownItems.length < items.length) change(ownItems);
    const isIn = session?.state === 'in';
    if (isIn && !wasIn) for (const item of items) if (item.state === 'signed_out') void deliver(item);
    wasIn = isIn;
  });
}

/** Holds a delivery for as long as it can be taken back. One that is held already is sent. */
export function hold(delivery: Delivery): void {
  sendHeld();
  add({ delivery, problem: undefined }, 'held');
  holdOn();
}

/** Reports a failure; its page may be gone. */
export function tellFailure(failure: Failure): void {
  add(failure, 'failed');
}

/** Takes the held delivery back. */
export function undo(): void {
  pause();
  change(items.filter(({ state }) => state !== 'held'));
}

/** Stops the time of the held delivery while the person points at it. */
export function pause(): void {
  clearTimeout(timer);
}

/** Lets the time of the held delivery begin again. */
export function holdOn(): void {
  clearTimeout(timer);
  timer = setTimeout(sendHeld, undoMs);
}

/** Sends the held delivery. @returns once everything under way is answered */
export async function sendAll(): Promise<void> {
  sendHeld();
  await Promise.all(sending);
}

function sendHeld(): void {
  pause();
  for (const item of items) if (item.state === 'held') void deliver(item);
}

function retry(): void {
  for (const item of items) if (item.state === 'unsent') void deliver(item);
}

/** Sends an item that is held, unsent or failed. */
export function deliver(item: Item): Promise<void> {
  const promise = send(item).finally(() => sending.delete(promise));
  sending.add(promise);
  return promise;
}

export function discard({ id, delivery }: Item): void {
  change(items.filter((item) => item.id !== id));
  void refresh(delivery);
}

async function send({ id, delivery }: Item): Promise<void> {
  changeState(id, 'sending');
  let failures: readonly Failure[];
  try {
    failures = await delivery.send();
  } catch (problem) {
    if (problem instanceof Problem && problem.code === 'offline') {
      changeState(id, 'unsent', problem);
      setTimeout(retry, retryMs);
      return;
    }
    if (isSignedOut(problem)) {
      changeState(id, 'signed_out', problem);
      await queries?.refetchQueries({ queryKey: ['session'] });
      return;
    }
    failures = [{ delivery, problem }];
  }
  for (const failure of failures) tellFailure(failure);
  // Refresh the lists before the item goes, so that they never show its old state again.
  await refresh(delivery);
  change(items.filter((item) => item.id !== id));
}

async function refresh({ queries: shownIn }: Delivery): Promise<void> {
  await queries?.invalidateQueries({
    predicate: ({ queryKey: [first] }) =>
      shownIn === undefined ? first !== 'session' : shownIn.includes(String(first)),
  });
}

function add(failure: Failure, state: Item['state']): void {
  const person = sessionOf(queries?.getQueryData<SessionState>(['session']))?.person.id;
  change([...items, { ...failure, id: nextId++, state, person }]);
}

function changeState(id: number, state: Item['state'], problem?: unknown): void {
  change(items.map((item) => (item.id === id ? { ...item, state, problem } : item)));
}

function change(newItems: readonly Item[]): void {
  items = newItems;
  for (const listener of listeners) listener();
}

export function useOutbox(): readonly Item[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => items,
  );
}

/** Subjects of deliveries that have not failed. */
export function usePendingSubjects(): ReadonlySet<string> {
  return new Set(useOutbox().flatMap(({ state, delivery }) => (state === 'failed' ? [] : delivery.subjects)));
}
