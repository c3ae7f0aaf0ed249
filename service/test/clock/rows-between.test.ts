/** Which rows of a long list a page draws. */
import { describe, expect, it } from '@jest/globals';

const file: string = '../../web/src/parts/rows-between.js';
const { rowsBetween } = (await import(file)) as {
  rowsBetween(top: number, height: number, row: number): { readonly from: number; readonly to: number };
};

describe('the drawn rows of a long list', () => {
  it.each([0, 1, 299, 300, 4_711, 59_000])('the rows cover the window and ten rows around it, %i px down', (top) => {
    const { from, to } = rowsBetween(top, 900, 30);
    expect(from * 30).toBeLessThanOrEqual(Math.max(0, top - 10 * 30));
    expect(to * 30).toBeGreaterThanOrEqual(top + 900 + 10 * 30);
    // Not all of them, however long it is.
    expect(to - from).toBeLessThanOrEqual(70);
  });

  it('the drawn rows change in steps, so that a page is not drawn with every pixel', () => {
    expect(rowsBetween(601, 900, 30)).toEqual(rowsBetween(899, 900, 30));
  });

  it('the drawn rows are the first ones while the list begins below the window', () => {
    expect(rowsBetween(-2_000, 900, 30)).toEqual({ from: 0, to: 10 });
  });
});
