import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { enrolmentUri, matchingStep, oneTimePassword, stepAt, toBase32 } from './totp.js';

const secret = Buffer.from('12345678901234567890');

describe('one-time passwords', () => {
  it.each([
    [0, '755224'],
    [1, '287082'],
    [2, '359152'],
    [3, '969429'],
    [4, '338314'],
    [5, '254676'],
    [6, '287922'],
    [7, '162583'],
    [8, '399871'],
    [9, '520489'],
  ])('one-time passwords are those of RFC 4226 appendix D: counter %i', (counter, code) => {
    expect(oneTimePassword(secret, counter)).toBe(code);
  });

  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('one-time passwords are those of RFC 6238 appendix B: second %i', (seconds, code) => {
    expect(oneTimePassword(secret, stepAt(seconds * 1_000), 8)).toBe(code);
  });

  it('one-time passwords equal those of another implementation', () => {
    // RFC 4226 §5.3, by the letter.
    const byHand = (key: Uint8Array, counter: number) => {
      const message = Buffer.alloc(8);
      message.writeBigUInt64BE(BigInt(counter));
      const mac = createHmac('sha1', key).update(message).digest();
      const number = mac.readUInt32BE(mac[19]! & 0x0f) & 0x7fff_ffff;
      return String(number % 1_000_000).padStart(6, '0');
    };
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        fc.integer({ min: 0, max: 4_000_000_000 }),
        (bytes, seconds) => {
          const at = seconds * 1_000;
          const code = byHand(bytes, Math.floor(seconds / 30));
          expect([oneTimePassword(bytes, stepAt(at)), matchingStep(bytes, code, at)]).toEqual([code, stepAt(at)]);
        },
      ),
      { numRuns: 200, seed: 7 },
    );
  });

  it('a one-time password matches one step before and after, not two', () => {
    const at = 1_795_417_200_000;
    const codes = [-2, -1, 0, 1, 2].map((offset) => oneTimePassword(secret, stepAt(at) + offset));
    expect(codes.map((code) => matchingStep(secret, code, at) !== undefined)).toEqual([false, true, true, true, false]);
    expect(matchingStep(secret, '', at)).toBeUndefined();
    expect(matchingStep(secret, `${codes[2]!}0`, at)).toBeUndefined();
    expect(matchingStep(secret, `${codes[2]!.slice(0, 5)}x`, at)).toBeUndefined();
    // The step is the code's own, so that each is used once: also at the end of a step.
    for (const [offset, instant] of [
      [-1, at],
      [0, at + 29_999],
      [1, at],
      [1, at + 29_999],
    ] as const)
      expect(matchingStep(secret, codes[offset + 2]!, instant)).toBe(stepAt(at) + offset);
  });

  it('one-time passwords are enrolled by an address with the secret of RFC 4648', () => {
    expect(toBase32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
    expect(toBase32(Buffer.from('fooba'))).toBe('MZXW6YTB');
    expect(enrolmentUri(secret, 'ada@clockproof.example')).toBe(
      `otpauth://totp/Clockproof:ada%40clockproof.example?secret=${toBase32(secret)}&issuer=Clockproof&algorithm=SHA1&digits=6&period=30`,
    );
  });
});
