import { DatabaseUnavailable } from './database.js';

interface Share {
  running: number;
  /** The longest waiting first. */
  readonly waiting: Set<() => void>;
}

export type InShare = <T>(name: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/**
 * A semaphore for each name: at most `max` tasks of one name run at once.
 * @returns a function that runs work when it may begin; throws DatabaseUnavailable `busy` after `waitMs`, or the reason
 * of the signal
 */
export function createShares(max: number, waitMs: number): InShare {
  const shares = new Map<string, Share>();

  const turnIn = ({ waiting }: Share, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(begin);
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const refuse = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const abort = () => refuse(signal.reason);
      const begin = () => {
        leave();
        resolve();
      };
      const timer = setTimeout(() => refuse(new DatabaseUnavailable('busy')), waitMs);
      signal.addEventListener('abort', abort);
      waiting.add(begin);
    });

  return async (name, signal, work) => {
    signal.throwIfAborted();
    const share = shares.get(name) ?? { running: 0, waiting: new Set() };
    shares.set(name, share);
    // A work that waited has the place of the one before it.
    if (share.running < max) share.running++;
    else await turnIn(share, signal);
    try {
      return await work();
    } finally {
      const [next] = share.waiting;
      if (next !== undefined) next();
      else if (--share.running === 0) shares.delete(name);
    }
  };
}
