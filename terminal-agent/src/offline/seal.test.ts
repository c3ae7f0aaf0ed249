import { describe, expect, it } from '@jest/globals';
import { sealStamp } from './seal.js';

const countingBytes = (from: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, index) => from + index);
const event = { uid: '04782e21801d80', action: 'in', at: '2026-11-23T04:31:07Z' } as const;
const seal = {
  sealKey: 'NYBy1jZYgNGu6jKa35EhODhR7SGijjt16WXQ0s0WYlQ=',
  terminalId: 'trm_7Q2MZK4D',
  number: 412,
};

describe('a sealed offline stamp', () => {
  it('a sealed offline stamp is the one of docs/protocols/terminal.md', () => {
    expect(sealStamp(event, seal, () => countingBytes(0x40))).toBe(
      'eaYx7t4b+cmPEgMs3q3Q56B5OY/HhriMyEbsia+FpRqpatp1519phmWbxn+WC1Tb2Y++GLxcI2sLYmd9kSf3CxhoqidauVW7+ZjhcjDVc4T4HKjvfjPIG8pxQ4NIVxAGYH8pI1kdRy7rfmUPzsja1ABf',
    );
  });

  it.each([
    ['number', { ...seal, number: 413 }],
    ['terminal', { ...seal, terminalId: 'trm_7Q2MZK4E' }],
  ])('a sealed offline stamp is bound to its %s', (_, binding) => {
    // The same key and plaintext: only the tag, the last 16 bytes, differs.
    const bytes = (sealOf: typeof seal) =>
      Buffer.from(
        sealStamp(event, sealOf, () => countingBytes(0x40)),
        'base64',
      );
    expect(bytes(binding).subarray(0, -16)).toEqual(bytes(seal).subarray(0, -16));
    expect(bytes(binding).subarray(-16)).not.toEqual(bytes(seal).subarray(-16));
  });

  it('sealing refuses a key with which everyone would agree on the same secret', () => {
    expect(() =>
      sealStamp(event, { ...seal, sealKey: Buffer.alloc(32).toString('base64') }, () => countingBytes(0x40)),
    ).toThrow();
  });
});
