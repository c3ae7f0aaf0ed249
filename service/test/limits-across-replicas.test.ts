import { describe, expect, it } from '@jest/globals';
import { dialects } from '@clockproof/platform/testing/databases';
import { createWorld } from './world.js';

describe.each(dialects.filter((dialect) => dialect === 'postgres'))('limits on %s', (dialect) => {
  it('hold across replicas, for keys and for guessing', async () => {
    const world = await createWorld(dialect, { env: { RATE_API_PER_MINUTE: '20' } });
    const replica = await world.replica();
    const ask = async (index: number, key: string) => (await fetch(`${index % 2 === 0 ? world.url : replica.url}/api/v1/users`, { headers: { authorization: `Bearer ${key}` } })).status;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(index, world.reader.key)));
    expect([answers.filter((status) => status === 200).length, answers.filter((status) => status === 429).length]).toEqual([20, 30]);
    const guesses: number[] = [];
    for (let index = 0; index < 34; index++) guesses.push(await ask(index, 'cpk_nobody'));
    expect([guesses.filter((status) => status === 401).length, guesses.filter((status) => status === 429).length]).toEqual([30, 4]);
    expect(await ask(0, world.planner.key)).toBe(200);
    await world.close();
  });
});
