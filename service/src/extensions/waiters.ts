/**
 * Requests that wait for events: long polling. Each looks again after a commit. It is answered if it finds events, when
 * its time is over, when the service stops, or when its key begins too many others.
 */
import type { Instant } from '@clockproof/platform/time/instant';
import type { Hub } from '../store/hub.js';

/** Requests of one key that wait at the same time; a further one has the oldest answered. */
const maxPerKey = 5;

export interface Look<Answer> {
  readonly hasResult: boolean;
  readonly answer: Answer;
}

export interface Waiters {
  /** Looks now, after each commit, and once more at the end. @returns the answer of the last look */
  waitFor<Answer>(key: string, until: Instant, look: (at: Instant) => Promise<Look<Answer>>): Promise<Answer>;
  /** Ends the waits that are over: once a second. */
  tick(): void;
  /** The number of waiting requests. */
  waiting(): number;
  /** Ends all waits and begins none. */
  close(): void;
}

interface Waiter {
  readonly key: string;
  readonly until: Instant;
  /** Something was committed since the last look began. */
  hasNews: boolean;
  isOver: boolean;
  wake: (() => void) | undefined;
}

export function createWaiters({ hub, clock }: { readonly hub: Hub; readonly clock: () => Instant }): Waiters {
  /** The oldest first. */
  const waiters = new Set<Waiter>();
  let unsubscribe: (() => void) | undefined;
  let isClosed = false;

  function wake(waiter: Waiter): void {
    waiter.hasNews = true;
    waiter.wake?.();
  }

  function end(waiter: Waiter): void {
    waiter.isOver = true;
    wake(waiter);
  }

  function add(waiter: Waiter): void {
    waiters.add(waiter);
    const ofKey = [...waiters].filter(({ key, isOver }) => key === waiter.key && !isOver);
    for (const oldestWaiter of ofKey.slice(0, -maxPerKey)) end(oldestWaiter);
    unsubscribe ??= hub.subscribe(() => {
      for (const waiter of waiters) wake(waiter);
    });
  }

  function remove(waiter: Waiter): void {
    waiters.delete(waiter);
    if (waiters.size > 0) return;
    unsubscribe?.();
    unsubscribe = undefined;
  }

  return {
    async waitFor(key, until, look) {
      const waiter: Waiter = { key, until, hasNews: false, isOver: isClosed, wake: undefined };
      add(waiter);
      try {
        for (;;) {
          waiter.hasNews = false;
          const isLast = waiter.isOver;
          const { hasResult, answer } = await look(clock());
          if (hasResult || isLast) return answer;
          if (!waiter.hasNews) await new Promise<void>((resolve) => (waiter.wake = resolve));
          waiter.wake = undefined;
        }
      } finally {
        remove(waiter);
      }
    },
    tick() {
      const at = clock();
      for (const waiter of waiters) if (waiter.until <= at) end(waiter);
    },
    waiting: () => [...waiters].filter(({ wake: resolve }) => resolve !== undefined).length,
    close() {
      isClosed = true;
      for (const waiter of waiters) end(waiter);
    },
  };
}
