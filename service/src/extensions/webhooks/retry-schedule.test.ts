import { day, hour, minute, second } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import { maximumAttempts, nextAttempt } from './retry-schedule.js';

const at = Date.UTC(2026, 10, 23, 12);
const middle = () => 0.5;

describe('the schedule of attempts', () => {
  it('the retry schedule has ten attempts over about three days', () => {
    expect(maximumAttempts).toBe(10);
    let now = at;
    for (let attempts = 1; attempts < maximumAttempts; attempts++) now = nextAttempt(attempts, now, undefined, middle)!;
    expect(now - at).toBe(75 * hour + 35 * minute + 5 * second);
    expect(nextAttempt(maximumAttempts, at, undefined, middle)).toBeUndefined();
  });

  it('the retry schedule varies each pause by a tenth', () => {
    expect([0, 0.5, 1].map((random) => nextAttempt(3, at, undefined, () => random)! - at)).toEqual([
      27 * minute,
      30 * minute,
      33 * minute,
    ]);
  });

  it.each([
    ['seconds', '120', 2 * minute],
    ['a date', 'Mon, 23 Nov 2026 12:10:00 GMT', 10 * minute],
    ['a date as in RFC 850', 'Monday, 23-Nov-26 12:10:00 GMT', 10 * minute],
    ['a date as asctime writes it', 'Mon Nov 23 12:10:00 2026', 10 * minute],
    ['a year, which is cut to a day', String(365 * 86_400), day],
    ['a number that no one means', '99999999999999999999', 5 * second],
    ['less than the schedule', '1', 5 * second],
    ['the past', 'Sun, 22 Nov 2026 12:00:00 GMT', 5 * second],
    ['words', 'tomorrow', 5 * second],
    ['a date in another form', '2026-11-23T12:10:00Z', 5 * second],
    ['less than nothing', '-60', 5 * second],
  ])('the retry schedule honours Retry-After within bounds: %s', (_, header, pause) => {
    expect(nextAttempt(1, at, header, middle)! - at).toBe(pause);
  });
});
