import { describe, expect, it } from '@jest/globals';
import { retentionEnd, retentionOf } from './retention.js';

describe('records of working time', () => {
  it.each([
    ['2026-11-23', '2028-11-23'],
    ['2026-12-31', '2028-12-31'],
    ['2026-02-28', '2028-02-28'],
    ['2028-02-29', '2030-02-28'],
  ])('records of working time of %s are kept until %s', (date, until) => {
    const germany = retentionOf('DE')!;
    expect(retentionEnd(germany, date)).toBe(until);
    expect(germany.clauses).toEqual(['ArbZG §16 (2)', 'MiLoG §17 (1)']);
  });

  it('records of working time are kept four years where the table says so, and nowhere without one', () => {
    expect(retentionEnd({ years: 4, clauses: [] }, '2028-02-29')).toBe('2032-02-29');
    expect(retentionOf('FR')).toBeUndefined();
  });
});
