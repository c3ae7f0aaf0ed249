/**
 * Held against recordings of real cards and the examples of NXP's application notes (AN10922, AN12196, AN12343), never
 * against our own output.
 */
import { describe, expect, it } from '@jest/globals';
import { authenticateAes, authenticateDes, authenticateEv2First, ev2SessionKeys } from './authenticate.js';
import { aes128, des } from './block-cipher.js';
import {
  changeKeyEv2,
  changeOtherKeyEv1,
  ev2CommandIv,
  ev2Mac,
  openChannel,
  otherKeyCryptogram,
  plainCommandEv1,
  sameKeyCryptogram,
} from './change-key.js';
import { cmac, cmacSubkeys } from './cmac.js';
import { crc32 } from './crc32.js';
import type { Dialogue } from './dialogue.js';
import { badgeKey, diversifyAes128 } from './diversify.js';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex').toUpperCase();

/** Runs a dialogue against recorded answers, checking every command. */
function exchange<Outcome>(dialogue: Dialogue<Outcome>, exchanges: readonly (readonly [string, string])[]): Outcome {
  let step = dialogue.next();
  for (const [command, answer] of exchanges) {
    expect(step.done === true ? 'the end' : hex(step.value)).toBe(command.replaceAll(' ', ''));
    step = dialogue.next(bytes(answer));
  }
  if (step.done !== true) throw new Error(`the dialogue goes on with ${hex(step.value)}`);
  return step.value;
}

describe('CMAC and CRC', () => {
  const key = bytes('2B7E151628AED2A6ABF7158809CF4F3C');
  it('CMAC and CRC agree with RFC 4493', () => {
    expect(hex(cmac(aes128, key, bytes('')))).toBe('BB1D6929E95937287FA37D129B756746');
    expect(hex(cmac(aes128, key, bytes('6BC1BEE22E409F96E93D7E117393172A')))).toBe('070A16B46B4D4144F79BDD9DD04A287C');
  });
  it('CMAC and CRC agree with the checksums of AN12196', () => {
    expect(hex(crc32(bytes('F3847D627727ED3BC9C4CC050489B966')))).toBe('789DFADC');
    expect(hex(crc32(bytes('04440F3276318000')))).toBe('99CE1AD4');
  });
});

describe('diversification', () => {
  const key = bytes('00112233445566778899AABBCCDDEEFF');
  it('key diversification agrees with AN10922 §2.2.1, subkeys included', () => {
    const { l, k1, k2 } = cmacSubkeys(aes128, key);
    expect([hex(l), hex(k1), hex(k2)]).toEqual([
      'FDE4FBAE4A09E020EFF722969F83832B',
      'FBC9F75C9413C041DFEE452D3F0706D1',
      'F793EEB928278083BFDC8A5A7E0E0D25',
    ]);
    expect(hex(diversifyAes128(key, bytes('04782E21801D80 3042F5 4E585020416275')))).toBe(
      'A8DD63A3B89D54B37CA802473FDA9175',
    );
  });
  it('key diversification pads to 32 bytes where a CMAC would stop at 16', () => {
    const short = bytes('04782E21801D80');
    expect(hex(diversifyAes128(key, short))).not.toBe(hex(cmac(aes128, key, Buffer.concat([Buffer.of(1), short]))));
    const long = bytes('04782E21801D80 314254 00 54494D454241444745');
    expect(hex(diversifyAes128(key, long))).toBe(hex(cmac(aes128, key, Buffer.concat([Buffer.of(1), long]))));
  });
  it('key diversification binds a badge key to UID, application and key number', () => {
    expect(hex(badgeKey(key, { uid: bytes('04782E21801D80'), aid: bytes('314254'), keyNumber: 0 }))).toBe(
      '351F4565FB8E49C7ADD45B721E3F5380',
    );
    expect(() => badgeKey(key, { uid: bytes('08112233'), aid: bytes('314254'), keyNumber: 0 })).toThrow('7 bytes');
  });
});

describe('authentication', () => {
  it('AES authentication with key 0 of zeros follows its recorded exchange', () => {
    const session = exchange(
      authenticateAes(0, bytes('00'.repeat(16)), () => bytes('F44B26F5686F3A391CD38EBD10772281')),
      [
        ['90AA0000010000', 'B969FDFE56FD91FC9DE6F6F213B8FD1E 91AF'],
        [
          '90AF000020 36AAD7DF6E436BA08D18613830A70D5AD43E3D3F4A8D47541EEE623A934E4774 00',
          '800DB680BC146BD121D6578F2D2E2059 9100',
        ],
      ],
    );
    expect(hex(session.key)).toBe('F44B26F5C05DDD7110772281C4D066E8');
  });
  it('AES authentication with key 1 follows its recorded exchange', () => {
    const session = exchange(
      authenticateAes(1, bytes('10182028303840485058606870788088'), () => bytes('40E7D27174CBA675E8EFBAB99C530E3D')),
      [
        ['90AA0000010100', 'B351CB2465D4F33AC627FD6E87A168F2 91AF'],
        [
          '90AF000020 044B6CAC343A0865895149649CA8DDE1F5AC4EC67BD208900AF02F049E05F0B0 00',
          'A2EE144B1012FBEB7B2F11132D95A454 9100',
        ],
      ],
    );
    expect(hex(session.key)).toBe('40E7D271626FFBD49C530E3D304F5B17');
  });
  it('DES authentication with a key of zeros follows its recorded exchange', () => {
    const session = exchange(
      authenticateDes(0, bytes('00'.repeat(8)), () => bytes('849B36C5F8BF4A09')),
      [
        ['901A0000010000', '5D994CE085F24089 91AF'],
        ['90AF000010 21D0AD5F2FD97454A746CC80567F1B1C 00', '913C6DED84221C41 9100'],
      ],
    );
    expect(hex(session.key)).toBe('849B36C54FD1B759');
  });
  it('EV2 authentication with key 0 of zeros follows AN12196 §6.6', () => {
    const session = exchange(
      authenticateEv2First(0, bytes('00'.repeat(16)), () => bytes('13C5DB8A5930439FC3DEF9A4C675360F')),
      [
        ['9071000002000000', 'A04C124213C186F22399D33AC2A30215 91AF'],
        [
          '90AF000020 35C3E05A752E0144BAC0DE51C1F22C56B34408A23D8AEA266CAB947EA8E0118D 00',
          '3FA64DB5446D1F34CD6EA311167F5E4985B89690C04A05F17FA7AB2F08120663 9100',
        ],
      ],
    );
    expect([hex(session.ti), hex(session.encryptionKey), hex(session.macKey)]).toEqual([
      '9D00C4DF',
      '1309C877509E5A215007FF0ED19CA564',
      '4C6626F5E72EA694202139295C7A7FC7',
    ]);
  });
  it('EV2 session keys are those of AN12343', () => {
    const { encryptionKey, macKey } = ev2SessionKeys(
      bytes('00'.repeat(16)),
      bytes('B04D0787C93EE0CC8CACC8E86F16C6FE'),
      bytes('FA659AD0DCA738DD65DC7DC38612AD81'),
    );
    expect([hex(encryptionKey), hex(macKey)]).toEqual([
      '63DC07286289A7A6C0334CA31C314A04',
      '774F26743ECE6AF5033B6AE8522946F6',
    ]);
  });
});

describe('ChangeKey', () => {
  const change = (keyNumber: number) => ({ keyNumber, key: bytes('00102030405060708090A0B0B0A09080'), version: 0x10 });
  it('EV1 ChangeKey of the session key itself has the recorded bytes', () => {
    const channel = openChannel({ cipher: aes128, key: bytes('F44B26F5C05DDD7110772281C4D066E8') });
    expect(hex(sameKeyCryptogram(channel, change(0)))).toBe(
      'E9F85E219496C2B58C1090DC3935FAE9E840CF61B383D9531946256B1F110C10',
    );
  });
  it('EV1 ChangeKey of another key has the recorded bytes, with the MAC of the answer', () => {
    const channel = openChannel({ cipher: aes128, key: bytes('C2A1E47BD8100044FE6D00A74D7AB17C') });
    expect(hex(otherKeyCryptogram(channel, change(1), bytes('00'.repeat(16))))).toBe(
      'E7ECCB6BD1CA64BC161A12B1C024F71430337408C8A87EACAB7A1FF18951FCA3',
    );
    exchange(changeOtherKeyEv1(channel, change(1), bytes('00'.repeat(16))), [
      ['90C400002101E7ECCB6BD1CA64BC161A12B1C024F71430337408C8A87EACAB7A1FF18951FCA300', '2128D3CD9C9ACFFF 9100'],
    ]);
    expect(hex(channel.iv)).toBe('2128D3CD9C9ACFFFF6EB9546ADF35E17');
  });
  it('CreateApplication under DES and a later ChangeKey have the recorded bytes and MAC', () => {
    const channel = openChannel({ cipher: des, key: bytes('849A36C44ED0B658') });
    channel.iv = bytes('5D73AE5287A1BBE4');
    exchange(plainCommandEv1(channel, 0xca, [0x16, 0xae, 0x00, 0x0f, 0x82]), [
      ['90CA00000516AE000F8200', '3B68D72A3BE0D20C 9100'],
    ]);
    const forged = plainCommandEv1(
      openChannel({ cipher: des, key: bytes('849A36C44ED0B658') }),
      0xca,
      [0x16, 0xae, 0x00, 0x0f, 0x82],
    );
    forged.next();
    expect(() => forged.next(bytes('3B68D72A3BE0D20C 9100'))).toThrow('forged_reply');
  });
  it('ChangeKey of key 0 of NTAG 424 DNA has the bytes of AN12196 §5.16.2', () => {
    const session = {
      ti: bytes('7614281A'),
      encryptionKey: bytes('4CF3CB41A22583A61E89B158D252FC53'),
      macKey: bytes('5529860B2FC5FB6154B7F28361D30BF9'),
    };
    exchange(
      changeKeyEv2(session, 3, { keyNumber: 0, key: bytes('5004BF991F408672B1EF00F08F9E8647'), version: 1 }, 'same'),
      [['90C400002900C0EB4DEEFEDDF0B513A03A95A75491818580503190D4D05053FF75668A01D6FDA6610234BDED643200', '9100']],
    );
  });
  it('EV2 commands have the IV and MAC of the application notes', () => {
    expect(
      hex(
        ev2CommandIv(
          {
            ti: bytes('ED56F6E6'),
            encryptionKey: bytes('66A8CB93269DC9BC2885B7A91B9C697B'),
            macKey: bytes('00'.repeat(16)),
          },
          0,
        ),
      ),
    ).toBe('DA0F644A4986275957CF1EC3AF4CCE53');
    const mac = (macKey: string, message: string) =>
      hex(
        ev2Mac({ ti: bytes('00000000'), encryptionKey: bytes('00'.repeat(16)), macKey: bytes(macKey) }, bytes(message)),
      );
    expect(mac('8248134A386E86EB7FAF54A52E536CB6', 'F5 0000 7A21085E 02')).toBe('6597A457C8CD442C');
    expect(
      mac('8248134A386E86EB7FAF54A52E536CB6', '00 0100 7A21085E 0040EEEE000100D1FE001F00004400004400002000006A0000'),
    ).toBe('2A474282E7A47986');
    expect(mac('9366FA195EB566F5BD2BAD4020B83002', `8D 0000 E2D3AF69 00000000190000 ${'22'.repeat(25)}`)).toBe(
      '68F2C28C575A1628',
    );
    expect(mac('9366FA195EB566F5BD2BAD4020B83002', '00 0100 E2D3AF69')).toBe('0820F68898C2A7F1');
  });
});
