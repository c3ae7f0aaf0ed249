import { describe, expect, it } from '@jest/globals';
import { stampInstantOf } from './clock-state.js';

describe('the instant of a stamp', () => {
  it.each([
    ['is that of the request, out of work', undefined, 50],
    ['is that of the request, after the start', { start: 40, breaks: [] }, 50],
    ['does not lie before the start', { start: 60, breaks: [] }, 60],
    ['does not lie before the start of a break', { start: 10, breaks: [{ start: 70 }] }, 70],
    ['does not lie before the end of a break', { start: 10, breaks: [{ start: 20, end: 80 }] }, 80],
    [
      'goes by the last of several breaks',
      {
        start: 10,
        breaks: [
          { start: 20, end: 30 },
          { start: 55, end: 65 },
        ],
      },
      65,
    ],
  ] as const)('a stamp has its instant: %s', (_, clock, at) => {
    expect(stampInstantOf(clock as never, 50)).toBe(at);
  });
});
