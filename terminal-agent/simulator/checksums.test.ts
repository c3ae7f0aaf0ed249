import { describe, expect, it } from '@jest/globals';
import { aes, des } from './block-cipher.js';
import { fromHex, toHex } from './bytes.js';
import { cmac, crc32, truncateMac } from './checksums.js';

describe('checksums of the simulated cards', () => {
  const key = aes(fromHex('2b7e151628aed2a6abf7158809cf4f3c'));

  it.each([
    ['', 'bb1d6929e95937287fa37d129b756746'],
    ['6bc1bee22e409f96e93d7e117393172a', '070a16b46b4d4144f79bdd9dd04a287c'],
    [
      '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411',
      'dfa66747de9ae63030ca32611497c827',
    ],
  ])('AES-CMAC of %s is that of RFC 4493', (message, mac) => {
    expect(toHex(cmac(key, fromHex(message)))).toBe(mac);
  });

  it('CMAC over a cipher with blocks of eight bytes is that of SP 800-38B', () => {
    // Two-key triple DES example of SP 800-38B, appendix D.5 and D.6: K1 = K3.
    const tripleDes = des(fromHex('4cf15134a2850dd58a3d10ba80570d38'));
    expect(toHex(cmac(tripleDes, fromHex('')))).toBe('bd2ebf9a3ba00361');
    expect(toHex(cmac(tripleDes, fromHex('6bc1bee22e409f96')))).toBe('4ff2ab813c53ce83');
  });

  it('a MAC is cut to its odd bytes', () => {
    expect(toHex(truncateMac(fromHex('000102030405060708090a0b0c0d0e0f')))).toBe('01030507090b0d0f');
  });

  it.each([
    ['f3847d627727ed3bc9c4cc050489b966', '789dfadc'],
    ['04440f3276318000', '99ce1ad4'],
    ['c40000102030405060708090a0b0b0a0908010', 'd2c6e66b'],
  ])('the checksum of %s is the recorded one', (message, sum) => {
    expect(toHex(crc32(fromHex(message)))).toBe(sum);
  });
});
