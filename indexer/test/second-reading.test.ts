/** The pace at which a large index reads its history again, on a clock that only waiting moves. */
import { minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Spoil } from '../simulator/faults.js';
import { readFollower } from '../src/store/streams.js';
import { createGround, createHome, createWorld, growProofs, type Home, today } from './world.js';

describe('an index of ten million events', () => {
  let home: Home;
  let time: number;
  let pages: number[];
  /** The last wait: short between two pages, long before a poll. */
  let waitedMs: number;
  beforeEach(async () => {
    home = await createHome('sqlite');
    time = today;
    pages = [];
    waitedMs = minute;
  });
  afterEach(() => home.close());

  /** Runs a follower for so many minutes. @returns times at which the node was asked for a page, from the start */
  async function runFor(minutes: number, spoil: Spoil = () => undefined): Promise<readonly number[]> {
    const ground = createGround();
    growProofs(ground, 120);
    const world = createWorld(ground, home.db, 'ga', (answer, query) => {
      if (query.includes('query Page')) pages.push(time - today);
      return spoil(answer, query);
    });
    const stop = new AbortController();
    const follower = world.follower({
      pollMilliseconds: minute,
      clock: () => time,
      monotonic: () => time,
      sleep: async (milliseconds) => {
        time += milliseconds;
        waitedMs = milliseconds;
        if (time - today >= minutes * minute) stop.abort();
      },
    });
    await follower.pass();
    await home.db.write((tx) => tx.run('UPDATE totals SET proofs = 10000000', {}));
    pages = [];
    await follower.run(stop.signal);
    return pages;
  }

  it('reads a page every few seconds between two polls, and polls no later for it', async () => {
    const requests = await runFor(4);
    expect(requests.length).toBeGreaterThan(4 * 20);
    expect(requests.length).toBeLessThan(4 * 30);
    for (const [index, at] of requests.entries()) {
      const inTheSecond = requests.slice(index).filter((time) => time - at < second);
      // A poll reads what is new and one page of the history.
      expect(inTheSecond.length).toBeLessThanOrEqual(4);
    }
    expect(time - (await readFollower(home.db)).lastIndexTime!).toBeLessThanOrEqual(minute);
  });

  it('leaves a node that fails alone until the next poll', async () => {
    const failure = { errors: [{ message: 'no', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] };
    const requests = await runFor(5, (_, query) =>
      query.includes('query Page') && waitedMs < 10 * second && pages.length > 2 ? failure : undefined,
    );
    expect(new Set(requests.map((at) => Math.floor(at / minute))).size).toBe(5);
    // The poll, its page of the history, and the one that failed.
    expect(requests.length).toBeLessThanOrEqual(6 * 3);
  });
});
