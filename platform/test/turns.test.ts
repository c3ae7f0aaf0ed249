import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DatabaseUnavailable } from '../src/database/database.js';
import { createPlaces, createRowTurns } from '../src/database/turns.js';

describe('places', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const held = () => {
    const ends: (() => void)[] = [];
    return { ends, effect: () => new Promise<void>((resolve) => ends.push(resolve)) };
  };

  it('are waited for as long as it goes on, and no longer', async () => {
    const take = createPlaces(1, 5_000);
    const { ends, effect } = held();
    const outcomes: string[] = [];
    for (const name of ['first', 'second', 'third', 'fourth'])
      void take(effect).then(
        () => outcomes.push(name),
        (error: unknown) => outcomes.push(`${name}: ${error instanceof DatabaseUnavailable}`),
      );
    for (const end of [0, 1]) {
      await jest.advanceTimersByTimeAsync(4_000);
      ends[end]!();
      await jest.advanceTimersByTimeAsync(0);
    }
    // The third has its place, after more than the patience. The fourth waits on, until nothing has ended for so long.
    expect([outcomes, ends.length]).toEqual([['first', 'second'], 3]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(outcomes).toEqual(['first', 'second', 'fourth: true']);
    ends[2]!();
    await jest.advanceTimersByTimeAsync(0);
    await take(async () => outcomes.push('later'));
    expect(outcomes.slice(3)).toEqual(['third', 'later']);
  });
});

describe('turns at a row', () => {
  it('are two at a time, then in order', async () => {
    const turns = createRowTurns();
    expect([turns.take('a'), turns.take('a'), turns.take('a'), turns.take('b')]).toEqual([true, true, false, true]);
    const began: number[] = [];
    const waiting = [1, 2].map((number) => turns.wait('a').then(() => began.push(number)));
    turns.leave('a');
    await waiting[0];
    expect(began).toEqual([1]);
    expect(turns.take('a')).toBe(false);
    turns.leave('a');
    await Promise.all(waiting);
    turns.leave('a');
    turns.leave('a');
    expect([turns.take('a'), turns.take('a')]).toEqual([true, true]);
  });

  it('end for all who wait when the database is not there', async () => {
    const turns = createRowTurns();
    turns.take('a');
    turns.take('a');
    const waiting = turns.wait('a');
    turns.leave('a', new DatabaseUnavailable('gone'));
    await expect(waiting).rejects.toThrow(DatabaseUnavailable);
  });
});
