import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { base62, crockford, readCrockford, toBase62, toCrockford } from '../src/bytes/random-text.js';

describe('random text', () => {
  it('random text rejects bytes that would favour some base62 digits', () => {
    const batches = [Uint8Array.of(248, 255, 0, 61), Uint8Array.of(247, 62, 61, 1)];
    expect(base62(4, () => batches.shift()!)).toBe('0zz0');
  });

  it('random text gives every base62 digit about as often as any other', () => {
    const counts = new Map<string, number>();
    for (const digit of base62(62_000, randomBytes)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(250);
  });

  it('random text writes numbers in base62 at a fixed length', () => {
    expect(toBase62(0, 6)).toBe('000000');
    expect(toBase62(61, 6)).toBe('00000z');
    expect(toBase62(0xffff_ffff, 6)).toBe('4gfFC3');
  });

  it('random text writes Crockford digits of five bits, without I, L, O and U', () => {
    expect(crockford(4, () => Uint8Array.of(0, 31, 32, 18))).toBe('0Z0J');
    expect(toCrockford(Uint8Array.of(0xff, 0, 0, 0, 1))).toBe('ZW000001');
    expect(toCrockford(Uint8Array.from({ length: 20 }, (_, index) => index * 13))).not.toMatch(/[ILOU]/);
  });

  it('Crockford digits are read as people type them', () => {
    expect(readCrockford('o1il-Lz0-')).toBe('01111Z0');
  });
});
