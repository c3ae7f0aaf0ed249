import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { halfSipHashBytes } from '../bytes/half-sip-hash.js';
import type { Database } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import { createTestDatabase, dialects, type TestDatabase } from '../testing/databases.js';
import { createMemoryRateLimiter, type RateLimiter } from './rate-limit.js';
import { createSharedRateLimiter, sharedRateLimitMigration } from './shared-rate-limit.js';

const start = 1_795_233_600_000;

function rules(make: () => RateLimiter) {
  it('lets 60 of 61 requests within a minute through and says when to come back', async () => {
    const limiter = make();
    for (let index = 0; index < 60; index++) {
      expect(await limiter.take('address', '192.0.2.1', 60, start + index * 500)).toMatchObject({
        allowed: true,
        remaining: 59 - index,
      });
    }
    expect(await limiter.take('address', '192.0.2.1', 60, start + 30_000)).toEqual({
      allowed: false,
      remaining: 0,
      resetSeconds: 30,
    });
    expect(await limiter.take('address', '192.0.2.1', 60, start + 59_999)).toMatchObject({
      allowed: false,
      resetSeconds: 1,
    });
    expect(await limiter.take('address', '192.0.2.1', 60, start + 60_000)).toMatchObject({
      allowed: true,
      remaining: 0,
    });
    expect(await limiter.take('address', '192.0.2.1', 60, start + 60_100)).toMatchObject({ allowed: false });
  });

  it('counts buckets and keys apart', async () => {
    const limiter = make();
    expect((await limiter.take('address', 'a', 1, start)).allowed).toBe(true);
    expect((await limiter.take('address', 'a', 1, start)).allowed).toBe(false);
    expect((await limiter.take('address', 'b', 1, start)).allowed).toBe(true);
    expect((await limiter.take('failed', 'a', 1, start)).allowed).toBe(true);
  });

  it('can be looked at without taking a place', async () => {
    const limiter = make();
    for (let index = 0; index < 5; index++)
      expect(await limiter.peek('failed', 'a', 2, start)).toMatchObject({ allowed: true, remaining: 2 });
    await limiter.take('failed', 'a', 2, start);
    expect(await limiter.peek('failed', 'a', 2, start + 1)).toMatchObject({ allowed: true, remaining: 1 });
    await limiter.take('failed', 'a', 2, start + 10_000);
    expect(await limiter.peek('failed', 'a', 2, start + 20_000)).toEqual({
      allowed: false,
      remaining: 0,
      resetSeconds: 40,
    });
    expect(await limiter.peek('failed', 'a', 2, start + 60_000)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('does not count refused tries', async () => {
    const limiter = make();
    await limiter.take('address', 'a', 1, start);
    for (let index = 1; index < 100; index++)
      expect((await limiter.take('address', 'a', 1, start + index * 600)).allowed).toBe(false);
    expect((await limiter.take('address', 'a', 1, start + 60_000)).allowed).toBe(true);
  });
}

describe('HalfSipHash-2-4', () => {
  it('gives the first vectors of its authors', () => {
    const key = Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7]);
    const [low, high] = halfSipHashBytes(new Uint8Array(0), key);
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32LE(low, 0);
    bytes.writeUInt32LE(high, 4);
    expect(bytes.toString('hex')).toBe('218d1f59b9b83cc8');
  });
});

describe('a limit in memory', () => {
  rules(() => createMemoryRateLimiter());

  it('never lets more than the limit through in any 60 seconds, and refuses only when it must', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 20_000 })), { maxLength: 300 }),
        (steps) => {
          const limiter = createMemoryRateLimiter({ maxKeys: 4 });
          const taken = new Map<number, number[]>();
          let at = start;
          for (const [key, pause] of steps) {
            at += pause;
            const times = (taken.get(key) ?? []).filter((time) => time > at - 60_000);
            const { allowed } = limiter.take('address', String(key), 5, at) as { allowed: boolean };
            expect(allowed).toBe(times.length < 5);
            taken.set(key, allowed ? [...times, at] : times);
          }
        },
      ),
    );
  });

  it('forgets the client unused for longest when there are too many, and only that one', async () => {
    const limiter = createMemoryRateLimiter({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c', 'a', 'd']) await limiter.take('address', key, 5, start);
    expect((await limiter.take('address', 'a', 5, start)).remaining).toBe(2);
    expect((await limiter.take('address', 'b', 5, start)).remaining).toBe(4);
  });

  it('stays within its pool when few clients take many places', async () => {
    const limiter = createMemoryRateLimiter({ maxKeys: 10 });
    for (let index = 0; index < 20_000; index++) await limiter.take('key', String(index % 10), 100_000, start + index);
    expect((await limiter.take('key', '1', 100_000, start + 20_000)).allowed).toBe(true);
  });

  it('holds a million clients in 50 MB', () => {
    const limiter = createMemoryRateLimiter();
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < 1_000_000; index++)
      void limiter.take('address', `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, 60, start + (index >> 6));
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
    const last = 999_999;
    expect(
      limiter.take('address', `10.${last >> 16}.${(last >> 8) & 255}.${last & 255}`, 60, start + 20_000),
    ).toMatchObject({ remaining: 58 });
    expect(limiter.take('address', '10.0.0.0', 60, start + 20_000)).toMatchObject({ remaining: 58 });
  });
});

if (dialects.includes('postgres')) {
  describe('a limit shared by replicas', () => {
    let home: TestDatabase;
    let one: Database;
    let two: Database;
    beforeAll(async () => {
      home = await createTestDatabase('postgres');
      one = await openDatabase(home.settings);
      two = await openDatabase(home.settings);
      await one.migrate([sharedRateLimitMigration]);
    });
    afterAll(async () => {
      await one.close();
      await two.close();
      await home.drop();
    });

    let round = 0;
    rules(() => {
      const prefix = `round${++round} `;
      const limiter = createSharedRateLimiter(one);
      return {
        take: (bucket, key, limit, at) => limiter.take(bucket, prefix + key, limit, at),
        peek: (bucket, key, limit, at) => limiter.peek(bucket, prefix + key, limit, at),
      };
    });

    it('lets exactly 60 of 200 parallel requests to two replicas through', async () => {
      const limiters = [createSharedRateLimiter(one), createSharedRateLimiter(two)];
      const taken = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          limiters[index % 2]!.take('address', '198.51.100.1', 60, start + index),
        ),
      );
      expect(taken.filter((each) => each.allowed)).toHaveLength(60);
    });
  });
}
