/**
 * The same limits counted across all replicas on one PostgreSQL: one statement per request on an unlogged table. What a
 * crash of the database server forgets is
 * one minute of counting. While the database does not answer, every replica counts for itself: a limit then holds per
 * replica instead of not at all.
 */
import { type Database, DatabaseUnavailable, type Migration } from '../database/database.js';
import { createMemoryRateLimiter, type RateLimiter, type Taken, windowMilliseconds } from './rate-limit.js';

/** Append it to the migrations of a product that limits across replicas; PostgreSQL only. */
export const sharedRateLimitMigration: Migration = {
  id: '0000-rate-limits',
  statements: (dialect) =>
    dialect.name === 'postgres'
      ? [
          'CREATE UNLOGGED TABLE rate_limits (key TEXT PRIMARY KEY, times BIGINT[] NOT NULL, allowed BOOLEAN NOT NULL, last_at BIGINT NOT NULL)',
          'CREATE INDEX rate_limits_by_age ON rate_limits (last_at)',
        ]
      : [],
};

/** The row lock of the upsert puts concurrent tries of one key in a row; each sees the places its predecessors took. */
const takeStatement = `
INSERT INTO rate_limits AS r (key, times, allowed, last_at) VALUES (:key, CASE WHEN :limit > 0 THEN ARRAY[:at::bigint] ELSE ARRAY[]::bigint[] END, :limit > 0, :at)
ON CONFLICT (key) DO UPDATE SET
  last_at = EXCLUDED.last_at,
  allowed = (SELECT count(*) FROM unnest(r.times) t WHERE t > :at - ${windowMilliseconds}) < :limit,
  times = CASE
    WHEN (SELECT count(*) FROM unnest(r.times) t WHERE t > :at - ${windowMilliseconds}) < :limit THEN array_append(ARRAY(SELECT t FROM unnest(r.times) t WHERE t > :at - ${windowMilliseconds} ORDER BY t), :at::bigint)
    ELSE ARRAY(SELECT t FROM unnest(r.times) t WHERE t > :at - ${windowMilliseconds} ORDER BY t)
  END
RETURNING allowed, cardinality(times) AS used, COALESCE(times[1], :at::bigint) AS oldest`;

const peekStatement = `SELECT count(*) AS used, COALESCE(min(t), :at::bigint) AS oldest FROM rate_limits r, unnest(r.times) t WHERE r.key = :key AND t > :at - ${windowMilliseconds}`;

const sweepEvery = 1_000;
/**
 * Higher limits guard the machine rather than a secret: they hold per replica, and a row does not grow without bound.
 */
const mostShared = 1_000;

export function createSharedRateLimiter(
  database: Database,
  fallback: RateLimiter = createMemoryRateLimiter({ maxKeys: 100_000 }),
): RateLimiter {
  let takes = 0;
  return {
    async take(bucket, key, limit, at): Promise<Taken> {
      if (limit > mostShared) return fallback.take(bucket, key, limit, at);
      try {
        // One statement is its own transaction: a single round trip.
        const row = (await database.get<{ allowed: boolean; used: number; oldest: number }>(takeStatement, {
          key: `${bucket} ${key}`,
          limit,
          at,
        }))!;
        if (++takes % sweepEvery === 0)
          await database.write((tx) =>
            tx.run('DELETE FROM rate_limits WHERE last_at < :before', { before: at - windowMilliseconds }),
          );
        return {
          allowed: row.allowed,
          remaining: Math.max(0, limit - row.used),
          resetSeconds: resetOf(row.oldest, at),
        };
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        return fallback.take(bucket, key, limit, at);
      }
    },
    async peek(bucket, key, limit, at): Promise<Taken> {
      if (limit > mostShared) return fallback.peek(bucket, key, limit, at);
      try {
        const row = (await database.get<{ used: number; oldest: number }>(peekStatement, {
          key: `${bucket} ${key}`,
          at,
        }))!;
        return {
          allowed: row.used < limit,
          remaining: Math.max(0, limit - row.used),
          resetSeconds: resetOf(row.oldest, at),
        };
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        return fallback.peek(bucket, key, limit, at);
      }
    },
  };
}

function resetOf(oldest: number, at: number): number {
  return Math.min(60, Math.max(1, Math.ceil((oldest + windowMilliseconds - at) / 1_000)));
}
