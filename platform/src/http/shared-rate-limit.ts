/**
 * The same limits counted across all replicas on one PostgreSQL, in an unlogged table: a crash of the database server
 * forgets one minute of counting. While the database does not answer, every replica counts for itself: a limit then
 * holds per replica instead of not at all.
 */

import { type Database, DatabaseUnavailable, type Migration, type Parameters } from '../database/database.js';
import { isPostgres } from '../database/postgres.js';
import {
  type CountedLookupDefinition,
  createMemoryRateLimiter,
  type LimitDecision,
  type RateLimiter,
  resetSecondsOf,
  windowMilliseconds,
} from './rate-limit.js';

/** Append it to the migrations of a product that limits across replicas; PostgreSQL only. */
export const sharedRateLimitMigration: Migration = {
  id: '0000-rate-limits',
  statements: (dialect) =>
    isPostgres(dialect)
      ? [
          'CREATE UNLOGGED TABLE rate_limits (key TEXT PRIMARY KEY, times BIGINT[] NOT NULL, allowed BOOLEAN NOT NULL, last_at BIGINT NOT NULL)',
          'CREATE INDEX rate_limits_by_age ON rate_limits (last_at)',
        ]
      : [],
};

/**
 * Counts a request. The row lock of the upsert puts concurrent requests of one key in a row; each sees the counts of
 * its predecessors.
 * @param key SQL of the key; @param source SQL that follows the selected values: empty, or `FROM … WHERE …`
 */
const counting = (key: string, source = '') => `
INSERT INTO rate_limits AS r (key, times, allowed, last_at)
SELECT ${key}, CASE WHEN :limit::bigint > 0 THEN ARRAY[:at::bigint] ELSE ARRAY[]::bigint[] END, :limit::bigint > 0, :at::bigint ${source}
ON CONFLICT (key) DO UPDATE SET
  last_at = EXCLUDED.last_at,
  allowed = (SELECT count(*) FROM unnest(r.times) t WHERE t > :at::bigint - ${windowMilliseconds}) < :limit::bigint,
  times = CASE
    WHEN (SELECT count(*) FROM unnest(r.times) t WHERE t > :at::bigint - ${windowMilliseconds}) < :limit::bigint
    THEN ARRAY(SELECT t FROM unnest(array_append(r.times, :at::bigint)) t WHERE t > :at::bigint - ${windowMilliseconds} ORDER BY t)
    ELSE ARRAY(SELECT t FROM unnest(r.times) t WHERE t > :at::bigint - ${windowMilliseconds} ORDER BY t)
  END
RETURNING r.allowed AS limit_allowed, cardinality(r.times) AS limit_used, COALESCE(r.times[1], :at::bigint) AS limit_oldest`;

const countStatement = counting(':key::text');

const checkStatement = `SELECT count(*) AS limit_used, COALESCE(min(t), :at::bigint) AS limit_oldest FROM rate_limits r, unnest(r.times) t WHERE r.key = :key AND t > :at::bigint - ${windowMilliseconds}`;

interface CountedColumns {
  readonly limit_allowed: boolean;
  readonly limit_used: number;
  readonly limit_oldest: number;
}

/** Every column is null if the found row does not count. */
type MaybeCounted = { readonly [Column in keyof CountedColumns]: CountedColumns[Column] | null };

const requestsBetweenSweeps = 1_000;
/**
 * Higher limits guard the machine rather than a secret: they hold per replica, and a row does not grow without bound.
 */
const highestShared = 1_000;

export function createSharedRateLimiter(
  database: Database,
  fallback: RateLimiter = createMemoryRateLimiter(),
): RateLimiter {
  let requestCount = 0;

  /** No request waits for it; the next sweep removes its leftovers. */
  function sweepNowAndThen(at: number): void {
    if (++requestCount % requestsBetweenSweeps !== 0) return;
    database
      .write((tx) => tx.run('DELETE FROM rate_limits WHERE last_at < :before', { before: at - windowMilliseconds }))
      .catch(() => undefined);
  }

  return {
    async consume(bucket, key, limit, at) {
      if (limit > highestShared) return fallback.consume(bucket, key, limit, at);
      try {
        // One statement is its own transaction: a single round trip.
        const row = (await database.get<CountedColumns>(countStatement, { key: `${bucket} ${key}`, limit, at }))!;
        sweepNowAndThen(at);
        return decisionOf(row, row.limit_allowed, limit, at);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        return fallback.consume(bucket, key, limit, at);
      }
    },
    async check(bucket, key, limit, at) {
      if (limit > highestShared) return fallback.check(bucket, key, limit, at);
      try {
        const row = (await database.get<CountedColumns>(checkStatement, { key: `${bucket} ${key}`, at }))!;
        return decisionOf(row, row.limit_used < limit, limit, at);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        return fallback.check(bucket, key, limit, at);
      }
    },
    prepareLookup<Row extends object>({ sql, bucket, keyColumn, countedIf }: CountedLookupDefinition) {
      const statement = `WITH found AS (${sql}),
counted AS (${counting(`'${bucket} ' || found.${keyColumn}`, `FROM found WHERE ${countedIf}`)})
SELECT found.*, counted.* FROM found LEFT JOIN counted ON true`;
      const depends = /:at\b/.test(sql);
      return async (parameters: Parameters, limit: number, at: number) => {
        if (limit > highestShared)
          return { row: await database.get<Row>(sql, depends ? { ...parameters, at } : parameters) };
        const row = await database.get<Row & MaybeCounted>(statement, { ...parameters, limit, at });
        if (row === undefined || row.limit_allowed === null) return { row };
        sweepNowAndThen(at);
        return { row, decision: decisionOf(row as CountedColumns, row.limit_allowed, limit, at) };
      };
    },
  };
}

function decisionOf(row: CountedColumns, isAllowed: boolean, limit: number, at: number): LimitDecision {
  return {
    allowed: isAllowed,
    remaining: Math.max(0, limit - row.limit_used),
    resetSeconds: resetSecondsOf(row.limit_oldest, at),
  };
}
