import { describe, expect, it } from '@jest/globals';
import { zeroKey } from './authentication.js';
import { aes, des } from './block-cipher.js';
import { fromHex, join, toHex } from './bytes.js';
import { openEv1Channel } from './ev1-channel.js';
import { ev1BlockLength, type KeyChange, readEv1KeyBlock } from './key-block.js';

describe('the EV1 channel of a simulated DESFire, held against recordings of real cards', () => {
  it('a plain command moves the IV unseen and the answer carries the MAC', () => {
    const channel = openEv1Channel(aes(fromHex('90f7a20191036845ec63decd544b9931')));
    channel.plainCommand(fromHex('6400'));
    expect(toHex(channel.iv())).toBe('257fc538618a944a3a20967b6f314348');
    expect(toHex(channel.answer(fromHex('10')))).toBe('108a8fa36f55cd210d');
    expect(toHex(channel.iv())).toBe('8a8fa36f55cd210dd8054658ac70d99a');
  });

  it('a change of another key is read, and its answer carries the MAC', () => {
    const channel = openEv1Channel(aes(fromHex('c2a1e47bd8100044fe6d00a74d7ab17c')));
    const plaintext = channel.decipher(fromHex('e7eccb6bd1ca64bc161a12b1c024f71430337408c8a87eacab7a1ff18951fca3'));
    expect(toHex(plaintext)).toBe('00102030405060708090a0b0b0a09080103370b484bfe3791900000000000000');
    const change = readEv1KeyBlock(plaintext, { keyNumber: 1, type: 'aes', other: zeroKey('aes') });
    expect(change && [toHex(change.key), change.version]).toEqual(['00102030405060708090a0b0b0a09080', 0x10]);
    expect(toHex(channel.answer(new Uint8Array()))).toBe('2128d3cd9c9acfff');
    expect(toHex(channel.iv())).toBe('2128d3cd9c9acfffF6EB9546ADF35E17'.toLowerCase());
  });

  it('a change of the authenticated key is read', () => {
    const channel = openEv1Channel(aes(fromHex('f44b26f5c05ddd7110772281c4d066e8')));
    const plaintext = channel.decipher(fromHex('e9f85e219496c2b58c1090dc3935fae9e840cf61b383d9531946256b1f110c10'));
    expect(toHex(plaintext)).toBe('00102030405060708090a0b0b0a0908010d2c6e66b0000000000000000000000');
    expect(readEv1KeyBlock(plaintext, { keyNumber: 0, type: 'aes' })?.version).toBe(0x10);
  });

  it('a change to a two-key triple DES key under a DES session is read; its version stands in the parity bits', () => {
    const channel = openEv1Channel(des(fromHex('c86ce25e4c647e56')));
    const plaintext = channel.decipher(fromHex('bede0fc6ed347dcf0d51c717df75d97d2c5a2ba6cac7479d'));
    expect(toHex(plaintext)).toBe('00102031405060708090a0b0b0a09080c5ff015000000000');
    const change = readEv1KeyBlock(plaintext, { keyNumber: 0, type: 'des' });
    expect(change && [change.type, toHex(change.key), change.version]).toEqual([
      'des',
      '00102031405060708090a0b0b0a09080',
      0x10,
    ]);
  });

  describe('a key block with a fault is not read', () => {
    const change: KeyChange = { keyNumber: 1, type: 'aes', other: zeroKey('aes') };
    const goodBlock = fromHex('00102030405060708090a0b0b0a09080103370b484bfe3791900000000000000');

    it('the block itself is in order', () => {
      expect(goodBlock.length).toBe(ev1BlockLength(change, 16));
      expect(readEv1KeyBlock(goodBlock, change)).toBeDefined();
    });

    it.each([
      ['key', 3],
      ['version', 16],
      ['checksum over the command', 17],
      ['checksum over the key', 21],
      ['padding', 31],
    ])('a key block with a fault is not read: %s', (_, position) => {
      const badBlock = goodBlock.slice();
      badBlock[position]! ^= 0x01;
      expect(readEv1KeyBlock(badBlock, change)).toBeUndefined();
    });

    it('the EV1 channel refuses a key block for another key number than the one sent', () => {
      expect(readEv1KeyBlock(goodBlock, { ...change, keyNumber: 2 })).toBeUndefined();
    });

    it('the EV1 channel refuses a key block with a wrong idea of the old key', () => {
      const otherKey = { ...zeroKey('aes'), key: join(new Uint8Array(15), [1]) };
      expect(readEv1KeyBlock(goodBlock, { ...change, other: otherKey })).toBeUndefined();
    });
  });
});
