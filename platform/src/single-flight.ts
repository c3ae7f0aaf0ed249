import type { Log } from './log.js';

/**
 * Work that runs one at a time: calls during a run share the next one. A run that fails is logged, and the next one
 * tries again.
 * @param failureText the log line of a failed run
 */
export function singleFlight(work: () => Promise<void>, log: Log, failureText: string): () => Promise<void> {
  let currentRun: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    currentRun = work()
      .catch((error: unknown) => log.warn({ err: error }, failureText))
      .finally(() => {
        currentRun = undefined;
      });
    return currentRun;
  };
  return () => {
    if (currentRun === undefined) return begin();
    next ??= currentRun.then(() => {
      next = undefined;
      return begin();
    });
    return next;
  };
}
