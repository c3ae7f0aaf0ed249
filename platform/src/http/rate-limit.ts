/** How often something may happen. Counters are exact within one process; `shared-rate-limit.ts` counts across replicas. */

export interface Taken {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Whole seconds until the caller may count on a place again; at least 1 where refused. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes one of `limit` places in any 60 seconds.
   * @param bucket what is limited (`address`, `key`, `failed`); @param key for whom; @param at milliseconds since 1970
   */
  take(bucket: string, key: string, limit: number, at: number): Taken | Promise<Taken>;
}
