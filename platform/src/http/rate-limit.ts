/**
 * Limits a rate in any 60 seconds: a sliding window over the counted instants, so that no two windows can be straddled.
 * Exact within one process; `shared-rate-limit.ts` runs the same algorithm across replicas.
 */

import type { Parameters } from '../database/database.js';

/** A limit's verdict on one request. */
export interface LimitDecision {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Whole seconds until the oldest counted instant leaves the window; 1 to 60. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Counts one request if fewer than `limit` were counted in the 60 seconds before it. A refused request is not
   * counted.
   * @param bucket the kind of limit (`address`, `key`, `failed`); @param key its subject; @param at milliseconds since
   * 1970
   */
  consume(bucket: string, key: string, limit: number, at: number): LimitDecision | Promise<LimitDecision>;
  /** The answer of `consume`, without counting. */
  check(bucket: string, key: string, limit: number, at: number): LimitDecision | Promise<LimitDecision>;
  /**
   * Only where limits are counted in the database itself: finds a credential and counts its request in one statement.
   */
  prepareLookup?<Row extends object>(definition: CountedLookupDefinition): CountedLookup<Row>;
}

/** A statement that finds a credential, and the way to count its request. */
export interface CountedLookupDefinition {
  /** A SELECT of at most one row. The parameter `:at` is the instant of the request; `:limit` is taken. */
  readonly sql: string;
  /** The bucket to count in. */
  readonly bucket: string;
  /** The column of `sql` whose value is the key to count. */
  readonly keyColumn: string;
  /** SQL over the columns of `found`, which holds the row: true if the credential is valid and its request counts. */
  readonly countedIf: string;
}

/**
 * @returns the row; with the decision if the request has been counted
 * @throws DatabaseUnavailable
 */
export type CountedLookup<Row extends object> = (
  parameters: Parameters,
  limit: number,
  at: number,
) => Promise<{ readonly row: Row | undefined; readonly decision?: LimitDecision }>;

export const windowMilliseconds = 60_000;

/** @param oldest the oldest instant in the window; `at` if there is none */
export function resetSecondsOf(oldest: number, at: number): number {
  return Math.min(60, Math.max(1, Math.ceil((oldest + windowMilliseconds - at) / 1_000)));
}

/** The counted instants of one key, oldest first. Those before `first` have left the window. */
interface Counted {
  times: number[];
  first: number;
}

/** @param options.maxKeys the largest number of remembered keys; beyond, the one unused for longest is forgotten */
export function createMemoryRateLimiter({ maxKeys = 100_000 }: { readonly maxKeys?: number } = {}): RateLimiter {
  // A Map iterates in order of insertion: a key that is used again moves to the end.
  const keys = new Map<string, Counted>();

  function decide(bucket: string, key: string, limit: number, at: number, counts: boolean): LimitDecision {
    const name = `${bucket} ${key}`;
    const window = keys.get(name) ?? { times: [], first: 0 };
    const first = firstAfter(window, at - windowMilliseconds);
    const usedCount = window.times.length - first;
    const isAllowed = usedCount < limit;
    if (counts) {
      dropUntil(window, first);
      if (isAllowed) insertInOrder(window.times, at);
      keys.delete(name);
      if (keys.size >= maxKeys) keys.delete(keys.keys().next().value!);
      keys.set(name, window);
    }
    return {
      allowed: isAllowed,
      remaining: Math.max(0, limit - usedCount - (isAllowed && counts ? 1 : 0)),
      resetSeconds: resetSecondsOf(window.times[counts ? window.first : first] ?? at, at),
    };
  }

  return {
    consume: (bucket, key, limit, at) => decide(bucket, key, limit, at, true),
    check: (bucket, key, limit, at) => decide(bucket, key, limit, at, false),
  };
}

/** A look changes nothing: the clock may be set back, and instants that had left the window count again. */
function firstAfter({ times, first }: Counted, start: number): number {
  let index = first;
  while (index < times.length && times[index]! <= start) index++;
  return index;
}

/** Moves `first` and gives memory back once half of the list is over: constant time per request on average. */
function dropUntil(window: Counted, first: number): void {
  window.first = first;
  if (window.first * 2 > window.times.length) {
    window.times = window.times.slice(window.first);
    window.first = 0;
  }
}

/** The clock may have been set back: then the instant does not belong at the end. */
function insertInOrder(times: number[], at: number): void {
  let index = times.length;
  while (index > 0 && times[index - 1]! > at) index--;
  if (index === times.length) times.push(at);
  else times.splice(index, 0, at);
}
