/** What clients see while PostgreSQL has no connection left for them, and that writes which wait take none from reads. */
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../world.js';

const onPostgres = dialects.includes('postgres') ? describe : describe.skip;
onPostgres('a pool of connections on postgres', () => {
  const size = 3;
  let world: World;
  /** The wait covers the making of a connection too, which takes its time on a busy machine. */
  const start = async (waitMilliseconds: number) => {
    world = await createWorld('postgres', {
      env: { DB_POOL_SIZE: String(size), DB_POOL_WAIT_MS: String(waitMilliseconds) },
    });
  };
  afterEach(() => world.close());

  /** Takes every connection for writes, each in a transaction. @returns gives them back */
  async function holdAll(): Promise<() => Promise<void>> {
    let release = (): void => undefined;
    const releaseSignal = new Promise<void>((resolve) => {
      release = resolve;
    });
    const transactionStarts: Promise<void>[] = [];
    const transactions = Array.from({ length: size - 1 }, () => {
      let reportStart = (): void => undefined;
      transactionStarts.push(
        new Promise<void>((resolve) => {
          reportStart = resolve;
        }),
      );
      return world.db.write(async (tx) => {
        await tx.get('SELECT 1 AS one');
        reportStart();
        await releaseSignal;
      });
    });
    await Promise.all(transactionStarts);
    return async () => {
      release();
      await Promise.all(transactions);
    };
  }

  const read = () => world.call('GET', '/api/v1/users', { key: world.reader.key });
  const clockIn = (person = world.people.ada) =>
    world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: person } });
  const requestAbsence = (start: string) =>
    world.call('POST', '/api/v1/absences', {
      key: world.planner.key,
      body: { user_id: world.people.ada, type: 'vacation', start_date: start, end_date: start },
    });
  const unavailableAnswer = {
    status: 503,
    body: { code: 'unavailable' },
  };

  it('a held pool answers 503 with Retry-After to writes, continues reads, and recovers', async () => {
    await start(2_000);
    const release = await holdAll();
    const reading = read();
    const refusals = await Promise.all([clockIn(), requestAbsence('2026-12-01')]);
    expect((await reading).status).toBe(200);
    await release();
    for (const answer of refusals) {
      expect(answer).toMatchObject(unavailableAnswer);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect([(await read()).status, (await clockIn()).status, (await requestAbsence('2026-12-01')).status]).toEqual([
      200, 200, 201,
    ]);
    // Nothing of the refused requests was stored.
    expect(await world.db.get('SELECT count(*) AS n FROM time_entries')).toMatchObject({ n: 1 });
    expect(await world.db.get('SELECT count(*) AS n FROM absences')).toMatchObject({ n: 1 });
  });

  it('waiting stamps of one person do not use up the pool', async () => {
    await start(60_000);
    const service = await world.replica();
    let release = (): void => undefined;
    const releaseSignal = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reportLock = (): void => undefined;
    const lockSignal = new Promise<void>((resolve) => {
      reportLock = resolve;
    });
    await clockIn();
    const holder = service.db.write(async (tx) => {
      await tx.get('SELECT 1 AS one FROM clock_states WHERE person_id = :id FOR UPDATE', { id: world.people.ada });
      reportLock();
      await releaseSignal;
    });
    await lockSignal;
    const stamps = Promise.all(
      Array.from({ length: 20 }, () =>
        world.call('POST', '/api/v1/clock/out', { key: world.planner.key, body: { user_id: world.people.ada } }),
      ),
    );
    // Until the first of them waits for the lock.
    while (
      (await service.db.get(
        "SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )) === undefined
    );
    const reads = [];
    for (let index = 0; index < 10; index++) reads.push((await read()).status);
    release();
    await holder;
    expect(reads).toEqual(Array(10).fill(200));
    const statuses = (await stamps).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
  });

  it('the pool serves many writes about one person to the last, and reads beside it', async () => {
    await start(60_000);
    const requests = Promise.all(Array.from({ length: 300 }, () => requestAbsence('2026-12-01')));
    const reads = [];
    for (let index = 0; index < 10; index++) reads.push((await read()).status);
    const statuses = (await requests).map(({ status }) => status);
    expect(reads).toEqual(Array(10).fill(200));
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(299);
  });
});
