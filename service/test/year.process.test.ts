/** A few people over the turn of a year, and every balance recomputed from the rows; `make soak NAME=year` does it with 200. */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compareYear } from '../bench/year/compare.js';
import { simulateYear } from '../bench/year/simulate.js';
import { createWorld, type World } from './world.js';

describe.each(oneDialect)('the turn of a year on %s', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect, { unchecked: true });
  });
  afterAll(() => world.close());

  it('the turn of a year ends with the balances and vacation accounts that its rows add up to', async () => {
    const from = '2027-12-01';
    const year = await simulateYear(world, { count: 5, from, to: '2028-02-05' });
    expect([...year.counts.keys()].sort()).toEqual(
      expect.arrayContaining([
        'booking',
        'carry-over',
        'clock/in',
        'correction',
        'exit',
        'month closed',
        'sickness',
        'vacation',
      ]),
    );
    const { differences, ...counts } = await compareYear(world, year, from);
    expect(differences).toEqual([]);
    expect(counts.balances).toBeGreaterThan(40);
    expect(counts.vacations).toBe(10);
    expect(counts.caps).toBeGreaterThan(0);
  });
});
