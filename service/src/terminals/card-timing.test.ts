import { describe, expect, it } from '@jest/globals';
import { judgeTiming, learning, type Usual } from './card-timing.js';

/** What is usual after proofs of these times, and whether the last one was slow. */
function after(times: readonly number[]): { readonly slow: boolean; readonly usual: Usual } {
  let judged = judgeTiming(undefined, times[0]!);
  for (const took of times.slice(1)) judged = judgeTiming(judged.usual, took);
  return judged;
}
/** A card near the reader: 60 to 68 ms. */
const near = Array.from({ length: 40 }, (_, index) => 60 + (index % 5) * 2);

describe('the time of a proof', () => {
  it('is usual while the service learns, however long it is', () => {
    expect(after([...near.slice(0, learning - 1), 5_000]).slow).toBe(false);
    expect(after([...near.slice(0, learning), 5_000]).slow).toBe(true);
  });

  it.each([
    [64, false],
    [110, false],
    [120, true],
    [154, true],
  ])('of %i ms is slow: %s', (took, slow) => {
    expect(after([...near, took]).slow).toBe(slow);
  });

  it('may vary as much as it always does', () => {
    const uneven = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 60 : 260));
    expect(after([...uneven, 300]).slow).toBe(false);
    expect(after([...uneven, 900]).slow).toBe(true);
  });

  it('that is slow hardly changes what is usual', () => {
    const { mean } = after(near).usual;
    expect(after([...near, 9_000]).usual.mean - mean).toBeLessThan(3_000);
    expect(after([...near, 9_000, 9_000, 9_000]).slow).toBe(true);
  });
});
