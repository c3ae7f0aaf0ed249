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

/**
 * Single flight: of the calls with the same name, one runs and the others wait for it, then look again. It only spares
 * the database a queue of writers of the same row: the database decides what is true, also between processes.
 */
export function createSingleFlight(): <T>(
  name: string,
  look: () => Promise<T | undefined>,
  work: () => Promise<T>,
) => Promise<T> {
  const running = new Map<string, Promise<unknown>>();
  return async (name, look, work) => {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const ahead = running.get(name);
      if (ahead === undefined) break;
      await ahead.catch(() => undefined);
    }
    const mine = work();
    running.set(name, mine);
    try {
      return await mine;
    } finally {
      running.delete(name);
    }
  };
}
