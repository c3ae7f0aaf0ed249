import { describe, expect, it } from '@jest/globals';
import { createPace } from './pace.js';

describe('deliveries beside requests', () => {
  let now = 0;
  let busy = 1;
  const pace = () => createPace({ now: () => now, utilization: () => busy });
  const begun = (one: ReturnType<typeof createPace>) => {
    let count = 0;
    while (count < 1_000 && one.mayBegin()) count++;
    return count;
  };
  const window = (one: ReturnType<typeof createPace>, requests: number, utilization: number, length = 100) => {
    for (let request = 0; request < requests; request++) one.answered();
    busy = utilization;
    now += length;
    return begun(one);
  };

  it('are a third of the requests while the event loop is saturated', () => {
    const one = pace();
    expect(window(one, 60, 0.95)).toBe(20);
    expect(begun(one)).toBe(0);
    // Of twice the time.
    expect(window(one, 120, 0.95, 200)).toBe(20);
  });

  it('go on slowly, however few requests are answered', () => {
    expect(window(pace(), 6, 1)).toBe(10);
  });

  it('are free where the event loop has time, or nobody asks', () => {
    expect(window(pace(), 60, 0.8)).toBe(1_000);
    expect(window(pace(), 4, 1)).toBe(1_000);
    const one = pace();
    window(one, 60, 1);
    expect(window(one, 60, 0.5)).toBe(1_000);
  });
});
