/** How often something may happen within any 60 seconds. Exact within one process; `shared-rate-limit.ts` counts across replicas. */

export interface Taken {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Whole seconds until a place is free again (where refused) or until the oldest one taken is; at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes one of `limit` places in any 60 seconds. A refused try takes none.
   * @param bucket what is limited (`address`, `key`, `failed`); @param key for whom; @param at milliseconds since 1970
   */
  take(bucket: string, key: string, limit: number, at: number): Taken | Promise<Taken>;
}

const windowMilliseconds = 60_000;

/** The instants of the places taken, oldest first from `head` on. */
interface Places { times: number[]; head: number }

/**
 * A sliding window: the instants of the last places, so that no two windows can be straddled. Forgets the key unused for longest when there are more than
 * `maxKeys` (about 150 bytes each, plus 8 for every further place taken).
 */
export function createMemoryRateLimiter(maxKeys = 100_000): RateLimiter {
  const keys = new Map<string, Places>();
  return {
    take(bucket, key, limit, at) {
      const name = `${bucket} ${key}`;
      const places = keys.get(name) ?? { times: [], head: 0 };
      // A Map keeps the order of insertion: taken out and put in again, the most recently used key stands last.
      keys.delete(name);
      keys.set(name, places);
      if (keys.size > maxKeys) keys.delete(keys.keys().next().value!);

      const { times } = places;
      while (places.head < times.length && times[places.head]! <= at - windowMilliseconds) places.head++;
      if (places.head > 64 && places.head * 2 > times.length) {
        times.splice(0, places.head);
        places.head = 0;
      }
      const used = times.length - places.head;
      const allowed = used < limit;
      if (allowed) times.push(at);
      const oldest = times[places.head] ?? at;
      return { allowed, remaining: Math.max(0, limit - used - (allowed ? 1 : 0)), resetSeconds: Math.max(1, Math.ceil((oldest + windowMilliseconds - at) / 1_000)) };
    },
  };
}
