/** The reads of one company, however slow and many, leave connections for others, and end when their client leaves. */
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';

const onPostgres = dialects.includes('postgres') ? describe : describe.skip;

onPostgres('slow reads of one company on postgres', () => {
  let world: World;
  /** Beside the pool of the service. */
  let db: Database;
  /** Ends the lock of the test. */
  let release: () => Promise<void> = async () => undefined;
  beforeEach(async () => {
    world = await createWorld('postgres', { env: { DB_POOL_WAIT_MS: '2000' } });
    db = await openDatabase({ driver: 'postgres', dsn: world.settings['DB_DSN']!, poolSize: 3 });
  });
  afterEach(async () => {
    await release();
    await db.close();
    await world.close();
  });

  /** Readers of time bookings wait until it is released. */
  async function lockBookings(): Promise<void> {
    await new Promise<void>((onLocked) => {
      let end = (): void => undefined;
      const lockEnd = new Promise<void>((resolve) => {
        end = resolve;
      });
      const lock = db.write(async (tx) => {
        await tx.run('LOCK TABLE time_bookings IN ACCESS EXCLUSIVE MODE');
        onLocked();
        await lockEnd;
      });
      release = () => {
        end();
        return lock;
      };
    });
  }

  const countWaitingStatements = async () =>
    (await db.get<{ n: number }>(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    ))!.n;
  const readBookings = async (signal?: AbortSignal) => {
    const response = await fetch(`${world.url}/api/v1/time/bookings?from=2026-01-01&to=2026-12-31`, {
      headers: { authorization: `Bearer ${world.planner.key}` },
      ...(signal === undefined ? {} : { signal }),
    });
    await response.arrayBuffer();
    return response.status;
  };

  it('slow reads of one company leave the service ready, and other companies their requests', async () => {
    await lockBookings();
    const slowReads = Array.from({ length: 30 }, () => readBookings());
    while ((await countWaitingStatements()) < 2);
    await sendStamp(world, 'in', world.people.zoe);
    expect((await world.call('GET', '/api/v1/users', { key: world.souther.key })).status).toBe(200);
    expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
    // Its own stamps go on as well.
    await sendStamp(world, 'in');
    expect(await countWaitingStatements()).toBe(2);
    // Requests that wait too long behind the first ones get 503 with Retry-After.
    expect(await Promise.race(slowReads)).toBe(503);
    await release();
    expect(new Set(await Promise.all(slowReads))).toEqual(new Set([200, 503]));
  });

  it('slow reads of one company end in the database when their client leaves', async () => {
    await lockBookings();
    const controller = new AbortController();
    const slowReads = [readBookings(controller.signal), readBookings(controller.signal)];
    while ((await countWaitingStatements()) < 2);
    controller.abort();
    for (const outcome of await Promise.allSettled(slowReads)) expect(outcome.status).toBe('rejected');
    while ((await countWaitingStatements()) > 0);
    await release();
    // The connections of the ended statements serve on.
    for (const status of await Promise.all(Array.from({ length: 6 }, () => readBookings()))) expect(status).toBe(200);
  });
});
