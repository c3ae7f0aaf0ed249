import { describe, expect, it } from '@jest/globals';
import { readEmailAddress } from './email-address.js';

describe('an e-mail address', () => {
  it('an e-mail address is stored in lower case', () => {
    expect(readEmailAddress("Mia.O'Neil+time@Clockproof.example")).toBe("mia.o'neil+time@clockproof.example");
    const longest = `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(8)}`;
    expect([readEmailAddress(longest), readEmailAddress(`a${longest}`)]).toEqual([longest, undefined]);
  });

  it.each([
    '',
    '@b.example',
    'a@',
    'a,b@c.example',
    'a@b@c.example',
    '"a\r\nb"@c.example',
    '\u202ea@b.example',
    'a b@c.example',
    'ä@b.example',
  ])('%j is not an e-mail address', (text) => {
    expect(readEmailAddress(text)).toBeUndefined();
  });
});
