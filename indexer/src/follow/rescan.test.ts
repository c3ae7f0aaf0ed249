import { minute } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import { rescanPagesFor } from './rescan.js';

describe('the second reading', () => {
  it.each([
    ['a small index', 20, 1, minute, 1],
    ['a setting that asks for more', 20, 4, minute, 4],
    ['a million events', 1_000_000, 1, minute, 2],
    ['ten million events', 10_000_000, 1, minute, 20],
    ['polls once an hour', 1_000_000, 1, 60 * minute, 120],
  ])('ends a round within a week: %s', (_, events, rescanPages, pollMilliseconds, pages) => {
    expect(rescanPagesFor(events, { rescanPages, pollMilliseconds })).toBe(pages);
  });
});
