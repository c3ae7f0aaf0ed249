import { decodeBase58, encodeBase58 } from '@clockproof/platform/bytes/base58';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { base58, digestOf } from '../../simulator/encode.js';
import {
  isTransactionDigest,
  normaliseAddress,
  normaliseChainIdentifier,
  normaliseRoot,
  sameChain,
  shortChain,
} from './identifiers.js';

describe('Base58', () => {
  it('agrees with arithmetic on big integers, both ways', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        expect(encodeBase58(bytes)).toBe(base58(bytes));
        expect(decodeBase58(base58(bytes), 40)).toEqual(bytes);
      }),
    );
  });
});

describe('a transaction digest', () => {
  it('a transaction digest is Base58 of exactly 32 bytes', () => {
    expect(isTransactionDigest('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG')).toBe(true);
    expect(encodeBase58(new Uint8Array(32).fill(255))).toBe('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG');
    expect(isTransactionDigest('1'.repeat(32))).toBe(true);
    expect(isTransactionDigest(digestOf('x'))).toBe(true);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 40 }), (bytes) => {
        expect(isTransactionDigest(base58(bytes))).toBe(bytes.length === 32);
      }),
    );
  });
  it.each([
    '',
    '1'.repeat(31),
    '1'.repeat(33),
    'z'.repeat(44),
    'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH',
    `${'1'.repeat(31)}l`,
    `${'1'.repeat(31)}é`,
    ` ${'1'.repeat(32)}`,
  ])('%j is no transaction digest', (text) => {
    expect(isTransactionDigest(text)).toBe(false);
  });
});

describe('one spelling', () => {
  it('addresses have one spelling', () => {
    expect(normaliseAddress('0x2')).toBe(`0x${'2'.padStart(64, '0')}`);
    expect(normaliseAddress('0XABC')).toBe(`0x${'abc'.padStart(64, '0')}`);
    for (const address of ['2', '0x', 'x2', '0xg', `0x${'0'.repeat(65)}`, ' 0x2', '0x2\n'])
      expect(normaliseAddress(address)).toBeUndefined();
  });
  it('roots have one spelling', () => {
    expect(normaliseRoot(`0X${'AB'.repeat(32)}`)).toBe('ab'.repeat(32));
    for (const root of ['', 'ab', 'ab'.repeat(33), `0x0x${'a'.repeat(60)}`, `${'ab'.repeat(32)}\n`])
      expect(normaliseRoot(root)).toBeUndefined();
  });
  it('both forms of a chain identifier have one spelling, as much of it as there is', () => {
    const identifier = normaliseChainIdentifier('4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S');
    expect(identifier).toMatch(/^35834a8a[0-9a-f]{56}$/);
    expect(shortChain(identifier!)).toBe('35834a8a');
    expect(normaliseChainIdentifier('35834A8A')).toBe('35834a8a');
    expect(normaliseChainIdentifier('35834a8')).toBeUndefined();
  });
});

describe('two chain identifiers', () => {
  const identifier = `35834a8a${'0'.repeat(56)}`;
  it.each([
    [identifier, identifier, true],
    [identifier, '35834a8a', true],
    ['35834a8a', identifier, true],
    ['35834a8a', '35834a8a', true],
    [identifier, `35834a8a${'0'.repeat(55)}1`, false],
    [identifier, '4c78adac', false],
    ['35834a8a', '4c78adac', false],
  ])('%s and %s: same chain %s', (a, b, isSame) => {
    expect(sameChain(a, b)).toBe(isSame);
  });
});
