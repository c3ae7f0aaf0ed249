import { describe, expect, it } from '@jest/globals';
import { openSealed, x25519PrivateKey, x25519PublicBytes } from './open-sealed.js';

const bytes = (hex: string) => Buffer.from(hex, 'hex');

describe('a sealed message', () => {
  it('a sealed message opens as in RFC 9180, A.1.1', () => {
    const key = x25519PrivateKey(bytes('4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8'));
    const context = { info: bytes('4f6465206f6e2061204772656369616e2055726e'), aad: bytes('436f756e742d30') };
    const sealed = bytes(
      '37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431' +
        'f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a',
    );
    expect(x25519PublicBytes(key).toString('hex')).toBe(
      '3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d',
    );
    expect(openSealed(key, context, sealed)?.toString()).toBe('Beauty is truth, truth beauty');
  });

  const key = x25519PrivateKey(Buffer.from(Array.from({ length: 32 }, (_, index) => 0x20 + index)));
  const info = Buffer.from('service-terminal-offline-v1');
  const sealed = Buffer.from(
    'eaYx7t4b+cmPEgMs3q3Q56B5OY/HhriMyEbsia+FpRqpatp1519phmWbxn+WC1Tb2Y++GLxcI2sLYmd9kSf3CxhoqidauVW7+ZjhcjDVc4T4HKjvfjPIG8pxQ4NIVxAGYH8pI1kdRy7rfmUPzsja1ABf',
    'base64',
  );
  const aad = Buffer.from('trm_7Q2MZK4D\n412');

  it('a sealed message opens as the protocol page shows', () => {
    expect(openSealed(key, { info, aad }, sealed)?.toString()).toBe(
      '{"uid":"04782e21801d80","action":"in","at":"2026-11-23T04:31:07Z"}',
    );
  });

  it.each([
    ['for another number', key, { info, aad: Buffer.from('trm_7Q2MZK4D\n413') }, sealed],
    ['for another purpose', key, { info: Buffer.from('service-terminal-offline-v2'), aad }, sealed],
    ['to another key', x25519PrivateKey(Buffer.alloc(32, 7)), { info, aad }, sealed],
    ['cut', key, { info, aad }, sealed.subarray(0, 40)],
    ['with a key of small order', key, { info, aad }, Buffer.concat([Buffer.alloc(32), sealed.subarray(32)])],
    ['altered', key, { info, aad }, Buffer.from(sealed.map((byte, index) => (index === 40 ? byte ^ 1 : byte)))],
  ])('a sealed message does not open %s', (_, privateKey, context, message) => {
    expect(openSealed(privateKey, context, message)).toBeUndefined();
  });
});
