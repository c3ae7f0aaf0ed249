import { describe, expect, it } from '@jest/globals';
import { createPace } from './pace.js';

describe('deliveries beside requests', () => {
  let now = 0;
  let busy = 0;
  const pace = () => createPace({ now: () => now, utilization: () => busy });
  type Pace = ReturnType<typeof pace>;
  const answer = (one: Pace, requests: number, seconds: number) => {
    for (let request = 0; request < requests; request++) one.answered(seconds);
  };
  /** A window of a tenth of a second. @returns whether requests wait for each other afterwards */
  const window = (one: Pace, { requests = 60, seconds = 0.02, utilization = 0.5, length = 100 }) => {
    answer(one, requests, seconds);
    busy = utilization;
    now += length;
    return one.isContended();
  };

  it('see that requests wait for each other: many are under way at once, or the event loop is saturated', () => {
    // 20 requests of 20 ms in 100 ms: four at once.
    expect(window(pace(), { requests: 20 })).toBe(true);
    expect(window(pace(), { requests: 19 })).toBe(false);
    expect(window(pace(), { requests: 20, length: 200 })).toBe(false);
    expect(window(pace(), { requests: 5, seconds: 0.001, utilization: 0.9 })).toBe(true);
    expect(window(pace(), { requests: 5, seconds: 0.001, utilization: 0.89 })).toBe(false);
    expect(window(pace(), { requests: 4, utilization: 1 })).toBe(false);
  });

  it('are not held up by requests that wait for events on purpose', () => {
    const one = pace();
    answer(one, 2, 30);
    // Two at once, and one of the others.
    expect(window(one, { requests: 10, seconds: 0.01 })).toBe(false);
  });

  it('see it in a long window too', () => {
    const one = pace();
    now += 300;
    // Four at once, for 400 ms.
    answer(one, 20, 0.08);
    expect(window(one, { requests: 0 })).toBe(true);
    const another = pace();
    now += 300;
    answer(another, 6, 0.3);
    expect(window(another, { requests: 14, seconds: 0 })).toBe(true);
  });

  it('go on as soon as nobody waits, however many there were before', () => {
    expect(window(pace(), { requests: 100, seconds: 0.1, length: 199 })).toBe(true);
    expect(window(pace(), { requests: 100, seconds: 0.1, length: 200 })).toBe(false);
    const one = pace();
    window(one, { requests: 100, seconds: 0.1 });
    expect(window(one, { requests: 0 })).toBe(false);
    const another = pace();
    window(another, { requests: 100, seconds: 0.1 });
    expect(window(another, { requests: 0, length: 1_000 })).toBe(false);
  });

  it('go on giving way until fewer than two are under way at once', () => {
    const one = pace();
    window(one, { requests: 20 });
    expect(window(one, { requests: 10 })).toBe(true);
    expect(window(one, { requests: 9 })).toBe(false);
    expect(window(one, { requests: 19 })).toBe(false);
  });

  it('go on giving way while two wait for a disk that hesitates, or after a stall', () => {
    const one = pace();
    window(one, { requests: 20 });
    const ended = [one.began(), one.began()];
    expect(window(one, { requests: 0 })).toBe(true);
    expect(window(one, { requests: 0, length: 5_000 })).toBe(true);
    // Eight answered at once, after a stall.
    expect(window(one, { requests: 8, seconds: 0.001, length: 400 })).toBe(true);
    ended.pop()!();
    expect(window(one, { requests: 0 })).toBe(false);
    ended.pop()!();
    // Many at once again.
    window(one, { requests: 20 });
    one.began();
    one.began();
    expect(window(one, { requests: 8, seconds: 0.001 })).toBe(false);
  });

  it('go on giving way to few requests that wait for each other', () => {
    const one = pace();
    window(one, { requests: 20 });
    now += 50;
    expect(window(one, { requests: 4, seconds: 0.06, length: 50 })).toBe(true);
    // A processor that deliveries alone keep busy.
    window(one, { requests: 20 });
    expect(window(one, { requests: 4, seconds: 0.001, utilization: 1 })).toBe(false);
  });

  it('take one turn for 200 requests while these wait for each other', () => {
    const one = pace();
    window(one, {});
    expect([one.mayRead(), one.mayRead()]).toEqual([true, false]);
    answer(one, 199, 0.02);
    expect(one.mayRead()).toBe(false);
    answer(one, 1, 0.02);
    expect([one.mayRead(), one.mayRead()]).toEqual([true, false]);
  });

  it('take one turn each 400 ms, however few requests are answered', () => {
    const one = pace();
    window(one, {});
    one.mayRead();
    for (let tenth = 0; tenth < 3; tenth++) {
      window(one, { requests: 20 });
      expect(one.mayRead()).toBe(false);
    }
    window(one, { requests: 20 });
    expect([one.mayRead(), one.mayRead()]).toEqual([true, false]);
  });

  it('are free as soon as requests no longer wait', () => {
    const one = pace();
    window(one, {});
    expect([one.mayRead(), one.mayRead()]).toEqual([true, false]);
    window(one, { requests: 6 });
    expect([one.mayRead(), one.mayRead(), one.mayRead()]).toEqual([true, true, true]);
  });
});
