/**
 * How often something may happen within any 60 seconds. Exact within one process; `shared-rate-limit.ts` counts across
 * replicas.
 */
import { randomFillSync } from 'node:crypto';
import { halfSipHash } from '../bytes/half-sip-hash.js';

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
  /** What `take` would answer, without taking a place. */
  peek(bucket: string, key: string, limit: number, at: number): Taken | Promise<Taken>;
}

export const windowMilliseconds = 60_000;
const none = 0xffff_ffff;

export interface MemoryRateLimiterOptions {
  /** How many keys are remembered; beyond, the one unused for longest is forgotten. */
  readonly maxKeys?: number;
  /** Eight bytes that nobody outside can guess, so that nobody can choose two addresses that count as one. */
  readonly secret?: Uint8Array;
}

/**
 * A sliding window: the instants of the places taken, so that no two windows can be straddled.
 *
 * A million clients are remembered in about 40 MB, allocated as they come: numbers in typed arrays instead of objects.
 * A key is the 64 bits of its HalfSipHash
 * (two of a million keys share them with a probability of 3 × 10^-8); the instants of a key are a ring in one common
 * pool, its newest pointing to its oldest. When keys
 * or pool run out, whoever was seen longest ago is forgotten.
 */
export function createMemoryRateLimiter({
  maxKeys = 1_000_000,
  secret = randomFillSync(new Uint8Array(8)),
}: MemoryRateLimiterOptions = {}): RateLimiter {
  const maxPlaces = Math.ceil(maxKeys * 1.5) + 1_024;
  let epoch = -1;

  // ---- keys: two words of hash, next in its hash chain, neighbours in order of use, newest place and number of places
  let hashLow = new Uint32Array(0),
    hashHigh = new Uint32Array(0),
    chain = new Uint32Array(0),
    older = new Uint32Array(0),
    newer = new Uint32Array(0),
    newest = new Uint32Array(0),
    count = new Uint32Array(0);
  let heads = new Uint32Array(0);
  let keys = 0,
    freeKey = none,
    oldestUsed = none,
    newestUsed = none;
  // ---- places: milliseconds since `epoch`, next younger place of the same key (the newest points to the oldest)
  let time = new Uint32Array(0),
    next = new Uint32Array(0);
  let places = 0,
    freePlace = none;

  function growKeys(): void {
    const size = Math.min(maxKeys, Math.max(1_024, keys * 2));
    const grow = (old: Uint32Array<ArrayBuffer>) => {
      const larger = new Uint32Array(size);
      larger.set(old);
      return larger;
    };
    [hashLow, hashHigh, chain, older, newer, newest, count] = [
      grow(hashLow),
      grow(hashHigh),
      grow(chain),
      grow(older),
      grow(newer),
      grow(newest),
      grow(count),
    ];
    heads = new Uint32Array(2 ** Math.max(0, Math.ceil(Math.log2(size)) - 1)).fill(none);
    for (let entry = oldestUsed; entry !== none; entry = newer[entry]!) addToChain(entry);
  }

  function growPlaces(): void {
    const size = Math.min(maxPlaces, Math.max(1_024, places * 2));
    const times = new Uint32Array(size),
      nexts = new Uint32Array(size);
    times.set(time);
    nexts.set(next);
    [time, next] = [times, nexts];
  }

  function addToChain(entry: number): void {
    const slot = hashLow[entry]! & (heads.length - 1);
    chain[entry] = heads[slot]!;
    heads[slot] = entry;
  }

  function removeFromChain(entry: number): void {
    const slot = hashLow[entry]! & (heads.length - 1);
    if (heads[slot] === entry) {
      heads[slot] = chain[entry]!;
      return;
    }
    let before = heads[slot]!;
    while (chain[before] !== entry) before = chain[before]!;
    chain[before] = chain[entry]!;
  }

  function unlinkUse(entry: number): void {
    if (older[entry] === none) oldestUsed = newer[entry]!;
    else newer[older[entry]!] = newer[entry]!;
    if (newer[entry] === none) newestUsed = older[entry]!;
    else older[newer[entry]!] = older[entry]!;
  }

  function linkAsNewest(entry: number): void {
    older[entry] = newestUsed;
    newer[entry] = none;
    if (newestUsed === none) oldestUsed = entry;
    else newer[newestUsed] = entry;
    newestUsed = entry;
  }

  function find(low: number, high: number): number {
    if (heads.length === 0) return none;
    let entry = heads[low & (heads.length - 1)]!;
    while (entry !== none && (hashLow[entry] !== low || hashHigh[entry] !== high)) entry = chain[entry]!;
    return entry;
  }

  function forgetOldest(): void {
    const entry = oldestUsed;
    for (let left = count[entry]!; left > 0; left--) releaseOldestPlace(entry);
    unlinkUse(entry);
    removeFromChain(entry);
    chain[entry] = freeKey;
    freeKey = entry;
  }

  function newKey(low: number, high: number): number {
    if (freeKey === none && keys === maxKeys) forgetOldest();
    let entry = freeKey;
    if (entry === none) {
      if (keys === chain.length) growKeys();
      entry = keys++;
    } else freeKey = chain[entry]!;
    hashLow[entry] = low;
    hashHigh[entry] = high;
    newest[entry] = none;
    count[entry] = 0;
    addToChain(entry);
    linkAsNewest(entry);
    return entry;
  }

  function releaseOldestPlace(entry: number): void {
    const last = newest[entry]!;
    const first = next[last]!;
    if (first === last) newest[entry] = none;
    else next[last] = next[first]!;
    next[first] = freePlace;
    freePlace = first;
    count[entry]!--;
  }

  function takePlace(entry: number, at: number): void {
    // The key itself stands last in the order of use, so another one is forgotten unless it is the only one left.
    while (freePlace === none && places === maxPlaces && oldestUsed !== entry) forgetOldest();
    if (freePlace === none && places === maxPlaces) releaseOldestPlace(entry);
    let place = freePlace;
    if (place === none) {
      if (places === time.length) growPlaces();
      place = places++;
    } else freePlace = next[place]!;
    time[place] = at;
    const last = newest[entry]!;
    if (last === none) next[place] = place;
    else {
      next[place] = next[last]!;
      next[last] = place;
    }
    newest[entry] = place;
    count[entry]!++;
  }

  function forgetAll(): void {
    keys = places = 0;
    freeKey = freePlace = oldestUsed = newestUsed = none;
    heads.fill(none);
  }

  function takeOrLook(bucket: string, key: string, limit: number, at: number, takes: boolean): Taken {
    // 32 bits of milliseconds are 49 days; after 40, or if the clock was set back behind the start, counting begins
    // anew.
    if (epoch < 0 || at - epoch > 40 * 86_400_000 || at < epoch) {
      forgetAll();
      epoch = Math.max(0, at - windowMilliseconds);
    }
    const now = at - epoch;
    const [low, high] = halfSipHash(`${bucket}\n${key}`, secret);
    let entry = find(low, high);
    if (entry === none) {
      if (!takes) return { allowed: limit > 0, remaining: limit, resetSeconds: 1 };
      entry = newKey(low, high);
    } else if (newestUsed !== entry) {
      unlinkUse(entry);
      linkAsNewest(entry);
    }
    while (count[entry]! > 0 && time[next[newest[entry]!]!]! + windowMilliseconds <= now) releaseOldestPlace(entry);
    const used = count[entry]!;
    const allowed = used < limit;
    if (allowed && takes) takePlace(entry, now);
    const oldest = newest[entry] === none ? now : time[next[newest[entry]!]!]!;
    return {
      allowed,
      remaining: Math.max(0, limit - used - (allowed && takes ? 1 : 0)),
      resetSeconds: Math.min(60, Math.max(1, Math.ceil((oldest + windowMilliseconds - now) / 1_000))),
    };
  }

  return {
    take: (bucket, key, limit, at) => takeOrLook(bucket, key, limit, at, true),
    peek: (bucket, key, limit, at) => takeOrLook(bucket, key, limit, at, false),
  };
}
