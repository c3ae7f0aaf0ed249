import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import { createTestDatabase, oneDialect, type TestDatabase } from '../testing/databases.js';
import { createMemoryRateLimiter, type RateLimiter } from './rate-limit.js';
import { createSharedRateLimiter, sharedRateLimitMigration } from './shared-rate-limit.js';

const start = 1_795_233_600_000;

function rules(make: () => RateLimiter) {
  it('the rate limit lets 60 of 61 requests within a minute through and says when to retry', async () => {
    const limiter = make();
    for (let index = 0; index < 60; index++) {
      expect(await limiter.consume('address', '192.0.2.1', 60, start + index * 500)).toMatchObject({
        allowed: true,
        remaining: 59 - index,
      });
    }
    expect(await limiter.consume('address', '192.0.2.1', 60, start + 30_000)).toEqual({
      allowed: false,
      remaining: 0,
      resetSeconds: 30,
    });
    expect(await limiter.consume('address', '192.0.2.1', 60, start + 59_999)).toMatchObject({
      allowed: false,
      resetSeconds: 1,
    });
    expect(await limiter.consume('address', '192.0.2.1', 60, start + 60_000)).toMatchObject({
      allowed: true,
      remaining: 0,
    });
    expect(await limiter.consume('address', '192.0.2.1', 60, start + 60_100)).toMatchObject({ allowed: false });
  });

  it('the rate limit counts buckets and keys apart', async () => {
    const limiter = make();
    expect((await limiter.consume('address', 'a', 1, start)).allowed).toBe(true);
    expect((await limiter.consume('address', 'a', 1, start)).allowed).toBe(false);
    expect((await limiter.consume('address', 'b', 1, start)).allowed).toBe(true);
    expect((await limiter.consume('failed', 'a', 1, start)).allowed).toBe(true);
  });

  it('the rate limit can be checked without counting', async () => {
    const limiter = make();
    for (let index = 0; index < 5; index++)
      expect(await limiter.check('failed', 'a', 2, start)).toMatchObject({ allowed: true, remaining: 2 });
    await limiter.consume('failed', 'a', 2, start);
    expect(await limiter.check('failed', 'a', 2, start + 1)).toMatchObject({ allowed: true, remaining: 1 });
    await limiter.consume('failed', 'a', 2, start + 10_000);
    expect(await limiter.check('failed', 'a', 2, start + 20_000)).toEqual({
      allowed: false,
      remaining: 0,
      resetSeconds: 40,
    });
    expect(await limiter.check('failed', 'a', 2, start + 60_000)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('the rate limit does not count refused tries', async () => {
    const limiter = make();
    await limiter.consume('address', 'a', 1, start);
    for (let index = 1; index < 100; index++)
      expect((await limiter.consume('address', 'a', 1, start + index * 600)).allowed).toBe(false);
    expect((await limiter.consume('address', 'a', 1, start + 60_000)).allowed).toBe(true);
  });
}

describe('a limit in memory', () => {
  rules(() => createMemoryRateLimiter());

  it('a limit in memory never exceeds the limit in any 60 seconds, and refuses only when it must', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 20_000 })), { maxLength: 300 }),
        (steps) => {
          const limiter = createMemoryRateLimiter({ maxKeys: 4 });
          const timesByKey = new Map<number, number[]>();
          let at = start;
          for (const [key, pause] of steps) {
            at += pause;
            const times = (timesByKey.get(key) ?? []).filter((time) => time > at - 60_000);
            const { allowed: isAllowed } = limiter.consume('address', String(key), 5, at) as { allowed: boolean };
            expect(isAllowed).toBe(times.length < 5);
            timesByKey.set(key, isAllowed ? [...times, at] : times);
          }
        },
      ),
    );
  });

  it('a limit in memory evicts only the longest unused client when there are too many', async () => {
    const limiter = createMemoryRateLimiter({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c', 'a', 'd']) await limiter.consume('address', key, 5, start);
    expect((await limiter.consume('address', 'a', 5, start)).remaining).toBe(2);
    expect((await limiter.consume('address', 'b', 5, start)).remaining).toBe(4);
  });

  it('a limit in memory drops requests outside of the window, at any count', async () => {
    const limiter = createMemoryRateLimiter();
    for (let index = 0; index < 200_000; index++) await limiter.consume('key', 'a', 1_000_000, start + index);
    expect(await limiter.check('key', 'a', 1_000_000, start + 200_000)).toMatchObject({
      remaining: 1_000_000 - 59_999,
    });
  });
});

if (oneDialect.includes('postgres')) {
  describe('a limit shared by replicas', () => {
    let home: TestDatabase;
    let database: Database;
    let secondDatabase: Database;
    beforeAll(async () => {
      home = await createTestDatabase('postgres');
      database = await openDatabase(home.settings);
      secondDatabase = await openDatabase(home.settings);
      await database.migrate([sharedRateLimitMigration]);
    });
    afterAll(async () => {
      await database.close();
      await secondDatabase.close();
      await home.drop();
    });

    let round = 0;
    rules(() => {
      const prefix = `round${++round} `;
      const limiter = createSharedRateLimiter(database);
      return {
        consume: (bucket, key, limit, at) => limiter.consume(bucket, prefix + key, limit, at),
        check: (bucket, key, limit, at) => limiter.check(bucket, prefix + key, limit, at),
      };
    });

    it('a limit shared by replicas decides as the limit in memory does, even when the clock is set back', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.boolean(), fc.integer({ min: -5_000, max: 25_000 })), {
            maxLength: 40,
          }),
          async (steps) => {
            const prefix = `round${++round} `;
            const sharedLimiter = createSharedRateLimiter(database);
            const memory = createMemoryRateLimiter();
            let at = start;
            for (const [key, counts, pause] of steps) {
              at += pause;
              const ask = counts ? 'consume' : 'check';
              expect(await sharedLimiter[ask]('address', `${prefix}${key}`, 3, at)).toEqual(
                await memory[ask]('address', `${prefix}${key}`, 3, at),
              );
            }
          },
        ),
        {
          numRuns: 25,
          // A look at the end of the window, and the clock set back by a millisecond.
          examples: [
            [
              [
                [0, true, 0],
                [0, false, 25_000],
                [0, false, 25_000],
                [0, false, 10_000],
                [0, false, -1],
              ],
            ],
          ],
        },
      );
    });

    it('a shared limit counts in the statement that finds the credential, and only where it is valid', async () => {
      await database.write(async (tx) => {
        await tx.run(
          'CREATE TABLE credentials (id TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL)',
        );
        await tx.run("INSERT INTO credentials VALUES ('a', 'ada', :end), ('b', 'ada', :end), ('old', 'ada', 0)", {
          end: start + 3_600_000,
        });
      });
      let statements = 0;
      const limiter = createSharedRateLimiter({
        ...database,
        get: (sql, parameters) => {
          statements++;
          return database.get(sql, parameters);
        },
      });
      const find = limiter.prepareLookup!<{ holder: string }>({
        sql: 'SELECT holder, expires_at FROM credentials WHERE id = :id',
        bucket: 'key',
        keyColumn: 'holder',
        countedIf: 'found.expires_at > :at',
      });
      expect(await find({ id: 'nothing' }, 2, start)).toEqual({ row: undefined });
      const expiredRow = await find({ id: 'old' }, 2, start);
      expect([expiredRow.row?.holder, expiredRow.decision]).toEqual(['ada', undefined]);
      expect(await find({ id: 'a' }, 2, start)).toMatchObject({
        row: { holder: 'ada' },
        decision: { allowed: true, remaining: 1, resetSeconds: 60 },
      });
      expect((await find({ id: 'b' }, 2, start + 1_000)).decision).toMatchObject({ allowed: true, remaining: 0 });
      expect((await find({ id: 'a' }, 2, start + 2_000)).decision).toEqual({
        allowed: false,
        remaining: 0,
        resetSeconds: 58,
      });
      expect(statements).toBe(5);
      // The same slots as `consume` sees.
      expect(await limiter.check('key', 'ada', 2, start + 2_000)).toMatchObject({ allowed: false });
      // A limit too high to be shared is counted by the caller.
      expect(await find({ id: 'a' }, 100_000, start)).toMatchObject({ row: { holder: 'ada' } });
      expect((await find({ id: 'a' }, 100_000, start)).decision).toBeUndefined();
    });

    it('a limit shared by replicas lets exactly 60 of 200 parallel requests to two replicas through', async () => {
      const limiters = [createSharedRateLimiter(database), createSharedRateLimiter(secondDatabase)];
      const decisions = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          limiters[index % 2]!.consume('address', '198.51.100.1', 60, start + index),
        ),
      );
      expect(decisions.filter((decision) => decision.allowed)).toHaveLength(60);
    });
  });
}
