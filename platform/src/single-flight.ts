import type { Log } from './log.js';

/**
 * Work that runs one at a time: who asks during a run shares the next one. A run that fails is logged, and the next one
 * tries again.
 * @param failing what the log says of a run that fails
 */
export function singleFlight(work: () => Promise<void>, log: Log, failing: string): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    running = work()
      .catch((error: unknown) => log.warn({ err: error }, failing))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return () => {
    if (running === undefined) return begin();
    next ??= running.then(() => {
      next = undefined;
      return begin();
    });
    return next;
  };
}
