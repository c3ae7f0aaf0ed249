import { describe, expect, it } from '@jest/globals';
import { aes } from './block-cipher.js';
import { fromHex, join, toHex } from './bytes.js';
import { deriveEv2Keys, openEv2Channel } from './ev2-channel.js';
import { readEv2KeyBlock } from './key-block.js';
import { changedKey, encipheredUid } from './session.js';

const zeros = new Uint8Array(16);

describe('the EV2 channel of the simulated cards, held against published examples', () => {
  it('derives the session keys of AN12343', () => {
    const keys = deriveEv2Keys(
      zeros,
      fromHex('b04d0787c93ee0cc8cacc8e86f16c6fe'),
      fromHex('fa659ad0dca738dd65dc7dc38612ad81'),
    );
    expect([toHex(keys.encryption), toHex(keys.mac)]).toEqual([
      '63dc07286289a7a6c0334ca31c314a04',
      '774f26743ece6af5033b6ae8522946f6',
    ]);
  });

  it('deciphers commands under the published IV', () => {
    const encryption = fromHex('66a8cb93269dc9bc2885b7a91b9c697b');
    const channel = openEv2Channel({ encryption, mac: zeros }, fromHex('ed56f6e6'));
    const cryptogram = aes(encryption).encrypt(
      join(fromHex('00112233445566778899aabbccddeeff'), [0x80], new Uint8Array(15)),
      fromHex('da0f644a4986275957cf1ec3af4cce53'),
    );
    expect(toHex(channel.decipher(cryptogram)!)).toBe('00112233445566778899aabbccddeeff');
  });

  it('the EV2 channel accepts and answers GetFileSettings of AN12196 in MAC mode', () => {
    const channel = openEv2Channel(
      { encryption: zeros, mac: fromHex('8248134a386e86eb7faf54a52e536cb6') },
      fromHex('7a21085e'),
    );
    expect(channel.accepts(0xf5, fromHex('02'), fromHex('6597a457c8cd442c'))).toBe(true);
    expect(channel.accepts(0xf5, fromHex('03'), fromHex('6597a457c8cd442c'))).toBe(false);
    expect(toHex(channel.answer(fromHex('0040eeee000100d1fe001f00004400004400002000006a0000')))).toBe(
      '0040eeee000100d1fe001f00004400004400002000006a00002a474282e7a47986',
    );
  });

  it('the EV2 channel accepts and answers the write of AN12343 in MAC mode', () => {
    const channel = openEv2Channel(
      { encryption: zeros, mac: fromHex('9366fa195eb566f5bd2bad4020b83002') },
      fromHex('e2d3af69'),
    );
    expect(
      channel.accepts(
        0x8d,
        join(fromHex('00000000190000'), new Uint8Array(25).fill(0x22)),
        fromHex('68f2c28c575a1628'),
      ),
    ).toBe(true);
    expect(toHex(channel.answer(new Uint8Array()))).toBe('0820f68898c2a7f1');
  });

  it('a MAC is good for one command only', () => {
    const channel = openEv2Channel(
      { encryption: zeros, mac: fromHex('8248134a386e86eb7faf54a52e536cb6') },
      fromHex('7a21085e'),
    );
    channel.answer(new Uint8Array());
    expect(channel.accepts(0xf5, fromHex('02'), fromHex('6597a457c8cd442c'))).toBe(false);
  });

  const changeKey = 'c0eb4deefeddf0b513a03a95a75491818580503190d4d05053ff75668a01d6fda6610234bded6432';
  const changeKeySession = () =>
    ({
      kind: 'ev2',
      keyNumber: 0,
      channel: openEv2Channel(
        { encryption: fromHex('4cf3cb41a22583a61e89b158d252fc53'), mac: fromHex('5529860b2fc5fb6154b7f28361d30bf9') },
        fromHex('7614281a'),
        3,
      ),
    }) as const;

  it('the EV2 channel reads the ChangeKey of AN12196 and answers it with nothing', () => {
    const { key, answer } = changedKey(changeKeySession(), join([0x00], fromHex(changeKey)), {
      keyNumber: 0,
      type: 'aes',
    });
    expect([toHex(key.key), key.version, answer.length]).toEqual(['5004bf991f408672b1ef00f08f9e8647', 1, 0]);
  });

  it.each([
    ['key number', 0],
    ['cryptogram', 5],
    ['MAC', 40],
  ])('the EV2 channel refuses that ChangeKey with one bit of the %s turned', (_, position) => {
    const data = join([0x00], fromHex(changeKey));
    data[position]! ^= 0x01;
    expect(() => changedKey(changeKeySession(), data, { keyNumber: data[0]!, type: 'aes' })).toThrow('911e');
  });

  it('the EV2 channel answers the GetCardUID of AN12196', () => {
    const channel = openEv2Channel(
      { encryption: fromHex('2b4d963c014dc36f24f69a50a394f875'), mac: fromHex('379d32130ce61705dd5fd8c36b95d764') },
      fromHex('df055522'),
    );
    const answer = encipheredUid(
      { kind: 'ev2', keyNumber: 0, channel },
      fromHex('8e2c155adda99be3'),
      fromHex('04958caa5c5e80'),
    );
    expect(toHex(answer)).toBe('70756055688505b52a5e26e59e329cd6595f672298ea41b7');
  });

  it('a key block of another length than the form is not read', () => {
    expect(readEv2KeyBlock(new Uint8Array(21), { keyNumber: 0, type: 'aes' })).toBeUndefined();
    expect(
      readEv2KeyBlock(new Uint8Array(17), {
        keyNumber: 1,
        type: 'aes',
        other: { type: 'aes', key: zeros, version: 0 },
      }),
    ).toBeUndefined();
  });
});
