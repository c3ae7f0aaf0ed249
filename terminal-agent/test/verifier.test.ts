import { describe, expect, it } from '@jest/globals';
import {
  authenticateAes,
  authenticateEv2,
  authenticateFactoryDes,
  CardRefused,
  cardUidEv2,
  changeKeyEv1,
  changeKeyEv2,
  type Dialogue,
  jamCrc,
  keyVersionEv1,
  macOf,
  scripted,
} from './verifier.js';

/** Plays the card's part from a recording: what the reader says must be byte for byte what was recorded. */
function replay<Result>(
  dialogue: Dialogue<Result>,
  recording: readonly (readonly [said: string, answered: string])[],
): Result {
  let step = dialogue.next();
  for (const [said, answered] of recording) {
    expect(step.value).toBe(said);
    step = dialogue.next(answered);
  }
  if (step.done !== true) throw new Error('the dialogue is longer than the recording');
  return step.value;
}

const hex = (value: string): Buffer => Buffer.from(value, 'hex');

describe('the verifier of these tests, held against recordings of real cards', () => {
  it('authenticates as recorded with an AES key of zeros', () => {
    const session = replay(authenticateAes(0, Buffer.alloc(16), scripted('f44b26f5686f3a391cd38ebd10772281')), [
      ['90aa0000010000', 'b969fdfe56fd91fc9de6f6f213b8fd1e91af'],
      [
        '90af00002036aad7df6e436ba08d18613830a70d5ad43e3d3f4a8d47541eee623a934e477400',
        '800db680bc146bd121d6578f2d2e20599100',
      ],
    ]);
    expect(session.key.toString('hex')).toBe('f44b26f5c05ddd7110772281c4d066e8');
  });

  it('authenticates as recorded with an AES key of its own', () => {
    const session = replay(
      authenticateAes(1, hex('10182028303840485058606870788088'), scripted('40e7d27174cba675e8efbab99c530e3d')),
      [
        ['90aa0000010100', 'b351cb2465d4f33ac627fd6e87a168f291af'],
        [
          '90af000020044b6cac343a0865895149649ca8dde1f5ac4ec67bd208900af02f049e05f0b000',
          'a2ee144b1012fbeb7b2f11132d95a4549100',
        ],
      ],
    );
    expect(session.key.toString('hex')).toBe('40e7d271626ffbd49c530e3d304f5b17');
  });

  it('authenticates as recorded with the DES key of zeros', () => {
    const session = replay(authenticateFactoryDes(scripted('849b36c5f8bf4a09')), [
      ['901a0000010000', '5d994ce085f2408991af'],
      ['90af00001021d0ad5f2fd97454a746cc80567f1b1c00', '913c6ded84221c419100'],
    ]);
    expect(session.key.toString('hex')).toBe('849b36c54fd1b759');
  });

  it('authenticates as recorded with EV2First', () => {
    const session = replay(authenticateEv2(0, Buffer.alloc(16), scripted('13c5db8a5930439fc3def9a4c675360f')), [
      ['9071000002000000', 'a04c124213c186f22399d33ac2a3021591af'],
      [
        '90af00002035c3e05a752e0144bac0de51c1f22c56b34408a23d8aea266cab947ea8e0118d00',
        '3fa64db5446d1f34cd6ea311167f5e4985b89690c04a05f17fa7ab2f081206639100',
      ],
    ]);
    expect([session.encryption, session.mac, session.transaction].map((part) => part.toString('hex'))).toEqual([
      '1309c877509e5a215007ff0ed19ca564',
      '4c6626f5e72ea694202139295c7a7fc7',
      '9d00c4df',
    ]);
  });

  it('changes keys as recorded, the authenticated one and another one', () => {
    const key = hex('00102030405060708090a0b0b0a09080');
    replay(
      changeKeyEv1({ key: hex('f44b26f5c05ddd7110772281c4d066e8'), size: 16, iv: Buffer.alloc(16) }, 0, key, 0x10),
      [['90c400002100e9f85e219496c2b58c1090dc3935fae9e840cf61b383d9531946256b1f110c1000', '9100']],
    );
    const session = { key: hex('c2a1e47bd8100044fe6d00a74d7ab17c'), size: 16 as const, iv: Buffer.alloc(16) };
    replay(changeKeyEv1(session, 1, key, 0x10, Buffer.alloc(16)), [
      ['90c400002101e7eccb6bd1ca64bc161a12b1c024f71430337408c8a87eacab7a1ff18951fca300', '2128d3cd9c9acfff9100'],
    ]);
    expect(session.iv.toString('hex')).toBe('2128d3cd9c9acffff6eb9546adf35e17');
  });

  it('checks the MAC of an answer as recorded, and refuses any other', () => {
    const open = () => ({ key: hex('90f7a20191036845ec63decd544b9931'), size: 16 as const, iv: Buffer.alloc(16) });
    expect(replay(keyVersionEv1(open(), 0), [['90640000010000', '108a8fa36f55cd210d9100']])).toBe(0x10);
    expect(() => replay(keyVersionEv1(open(), 0), [['90640000010000', '118a8fa36f55cd210d9100']])).toThrow(CardRefused);
  });

  it('changes a key and reads the UID in an EV2 session as published', () => {
    const change = {
      encryption: hex('4cf3cb41a22583a61e89b158d252fc53'),
      mac: hex('5529860b2fc5fb6154b7f28361d30bf9'),
      transaction: hex('7614281a'),
      counter: 3,
    };
    replay(changeKeyEv2(change, 0, hex('5004bf991f408672b1ef00f08f9e8647'), 1), [
      ['90c400002900c0eb4deefeddf0b513a03a95a75491818580503190d4d05053ff75668a01d6fda6610234bded643200', '9100'],
    ]);
    const read = {
      encryption: hex('2b4d963c014dc36f24f69a50a394f875'),
      mac: hex('379d32130ce61705dd5fd8c36b95d764'),
      transaction: hex('df055522'),
      counter: 0,
    };
    const uid = replay(cardUidEv2(read), [
      ['90510000088e2c155adda99be300', '70756055688505b52a5e26e59e329cd6595f672298ea41b79100'],
    ]);
    expect(uid.toString('hex')).toBe('04958caa5c5e80');
  });

  it('refuses a card that returns RndA unrotated', () => {
    const key = Buffer.alloc(16);
    expect(() =>
      replay(authenticateAes(0, key, scripted('f44b26f5686f3a391cd38ebd10772281')), [
        ['90aa0000010000', 'b969fdfe56fd91fc9de6f6f213b8fd1e91af'],
        [
          '90af00002036aad7df6e436ba08d18613830a70d5ad43e3d3f4a8d47541eee623a934e477400',
          '810db680bc146bd121d6578f2d2e20599100',
        ],
      ]),
    ).toThrow(CardRefused);
  });

  it('computes CMAC and checksum as published', () => {
    const key = hex('2b7e151628aed2a6abf7158809cf4f3c');
    expect(macOf(key, Buffer.alloc(0)).toString('hex')).toBe('bb1d6929e95937287fa37d129b756746');
    expect(macOf(key, hex('6bc1bee22e409f96e93d7e117393172a')).toString('hex')).toBe(
      '070a16b46b4d4144f79bdd9dd04a287c',
    );
    expect(jamCrc(hex('f3847d627727ed3bc9c4cc050489b966')).toString('hex')).toBe('789dfadc');
  });
});
