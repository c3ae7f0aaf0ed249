import { dialects } from '@clockproof/platform/testing/databases';
import { describe, expect, it } from '@jest/globals';
import { createWorld } from '../world.js';

const parallelClockIns = 1_000;

describe(`${parallelClockIns} parallel clock-ins to two services`, () => {
  it.each(dialects)('one parallel clock-in succeeds, and others answer already_clocked_in, on %s', async (dialect) => {
    // On a busy machine, those who wait for the person's clock may wait for a connection for longer than five seconds.
    const world = await createWorld(dialect);
    try {
      const replica = await world.replica();
      const answers = await Promise.all(
        Array.from({ length: parallelClockIns }, async (_, index) => {
          const response = await fetch(`${index % 2 === 0 ? world.url : replica.url}/api/v1/clock/in`, {
            method: 'POST',
            headers: { authorization: `Bearer ${world.planner.key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ user_id: world.people.ben }),
          });
          return `${response.status} ${((await response.json()) as { code?: string }).code ?? 'ok'}`;
        }),
      );
      const counts = new Map<string, number>();
      for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
      expect(Object.fromEntries(counts)).toEqual({ '200 ok': 1, '409 already_clocked_in': parallelClockIns - 1 });
      expect(
        await world.db.get('SELECT count(*) AS n FROM time_entries WHERE person_id = :ben', {
          ben: world.people.ben,
        }),
      ).toEqual({ n: 1 });
    } finally {
      await world.close();
    }
  });
});
