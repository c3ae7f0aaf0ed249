import type { Sleep } from '../src/sleep.js';

/** Time that passes only when the test says so. */
export interface TestClock {
  /** Milliseconds since 1970, as the clock is set. */
  readonly now: () => number;
  /** Milliseconds that have passed, independent of the clock; begins as on a PC that runs for a while. */
  readonly elapsed: () => number;
  readonly sleep: Sleep;
  /** Lets time pass; those who wait for an instant on the way are woken in order. */
  pass(milliseconds: number): Promise<void>;
  /** Somebody sets the clock, forwards or back. No time passes. */
  set(by: number): void;
}

export function testClock(start: number): TestClock {
  let time = 123_456.7;
  let wall = start - time;
  const waiting = new Set<{ readonly at: number; readonly wake: () => void }>();
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
  return {
    now: () => wall + time,
    elapsed: () => time,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const entry = {
          at: time + milliseconds,
          wake: () => {
            waiting.delete(entry);
            signal?.removeEventListener('abort', entry.wake);
            resolve();
          },
        };
        waiting.add(entry);
        signal?.addEventListener('abort', entry.wake, { once: true });
      }),
    async pass(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        await settle();
        const [next] = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        time = Math.max(time, next.at);
        next.wake();
      }
      time = end;
    },
    set(by) {
      wall += by;
    },
  };
}
