import { describe, expect, it } from '@jest/globals';
import {
  authenticateAes,
  authenticateEv2,
  authenticateFactoryDes,
  type BadgeKeys,
  cardUidEv1,
  cardUidEv2,
  changeKeyEv1,
  changeKeyEv2,
  inMacMode,
  issueDesfire,
  keyVersionEv1,
  proveDesfire,
  type Random,
  run,
} from '../test/verifier.js';
import { fromHex, toHex } from './bytes.js';
import { type DesfireGeneration, factoryDesfire, type SimulatedDesfire, simulateDesfire } from './desfire.js';

const uid = fromHex('04063f72633480');
const production = fromHex('ba4519e3204913');

/** A card whose random numbers are the given ones, in order. */
function card(
  options: { readonly generation?: DesfireGeneration; readonly random?: readonly string[] } = {},
): SimulatedDesfire {
  const values = [...(options.random ?? [])];
  return simulateDesfire(factoryDesfire(uid, options.generation ?? 'ev1', production), (length) => {
    const value = values.shift();
    return value === undefined ? countingBytes(length) : fromHex(value);
  });
}

let counter = 0;
const countingBytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => {
    counter += 1 + index;
    return counter & 0xff;
  });
const random: Random = (length) => Buffer.from(countingBytes(length));

const say = (to: SimulatedDesfire, command: string): string => toHex(to.apdu(fromHex(command)));

/** A card with an AES application that has two keys, and that application selected. */
function withApplication(
  rights = '0b',
  generation: DesfireGeneration = 'ev1',
  randomNumbers: readonly string[] = [],
): SimulatedDesfire {
  const desfire = card({ generation, random: randomNumbers });
  expect(say(desfire, `90ca000005314254${rights}8200`)).toBe('9100');
  expect(say(desfire, '905a00000331425400')).toBe('9100');
  return desfire;
}

const keys: BadgeKeys = {
  aid: Buffer.from('314254', 'hex'),
  admin: Buffer.from('a8dd63a3b89d54b37ca802473fda9175', 'hex'),
  stamp: Buffer.from('351f4565fb8e49c7add45b721e3f5380', 'hex'),
  version: 1,
};

describe('a simulated DESFire, held against recordings of real cards', () => {
  it('a simulated DESFire answers GetVersion as a real EV1 with 8 KB', () => {
    const desfire = card();
    expect(say(desfire, '9060000000')).toBe('04010101001a0591af');
    expect(say(desfire, '90af000000')).toBe('04010101041a0591af');
    expect(say(desfire, '90af000000')).toBe('04063f72633480ba4519e32049139100');
  });

  it('authenticates with an AES key of zeros and changes that key as recorded', () => {
    const desfire = withApplication('0b', 'ev1', ['c05ddd714fd788a6b7b754f3c4d066e8']);
    expect(say(desfire, '90aa0000010000')).toBe('b969fdfe56fd91fc9de6f6f213b8fd1e91af');
    expect(say(desfire, '90af00002036aad7df6e436ba08d18613830a70d5ad43e3d3f4a8d47541eee623a934e477400')).toBe(
      '800db680bc146bd121d6578f2d2e20599100',
    );
    expect(say(desfire, '90c400002100e9f85e219496c2b58c1090dc3935fae9e840cf61b383d9531946256b1f110c1000')).toBe('9100');
    expect(desfire.memory.applications[0]!.keys[0]).toEqual({
      type: 'aes',
      key: fromHex('00102030405060708090a0b0b0a09080'),
      version: 0x10,
    });
    expect(say(desfire, '90640000010000')).toBe('109100');
  });

  it('authenticates with an AES key of its own as recorded', () => {
    const desfire = withApplication('0b', 'ev1', ['626ffbd45caf334acca45599304f5b17']);
    desfire.memory.applications[0]!.keys[1] = {
      type: 'aes',
      key: fromHex('10182028303840485058606870788088'),
      version: 0,
    };
    expect(say(desfire, '90aa0000010100')).toBe('b351cb2465d4f33ac627fd6e87a168f291af');
    expect(say(desfire, '90af000020044b6cac343a0865895149649ca8dde1f5ac4ec67bd208900af02f049e05f0b000')).toBe(
      'a2ee144b1012fbeb7b2f11132d95a4549100',
    );
  });

  it('authenticates with the DES key of zeros as recorded, and that key becomes an AES key', () => {
    const desfire = card({ random: ['4fd1b75942a8b8e1'] });
    expect(say(desfire, '9045000000')).toBe('0f019100');
    expect(say(desfire, '901a0000010000')).toBe('5d994ce085f2408991af');
    expect(say(desfire, '90af00001021d0ad5f2fd97454a746cc80567f1b1c00')).toBe('913c6ded84221c419100');
    expect(say(desfire, '90c400001980d08cd8ce26adee542ef7a7a40099fdf2ae59ac4ecfa570df00')).toBe('9100');
    expect(desfire.memory.key).toEqual({ type: 'aes', key: fromHex('00112233445566778899aabbccddeeff'), version: 1 });
    expect(say(desfire, '9045000000')).toBe('0f819100');
    expect(say(desfire, '901a0000010000')).toBe('91ae');
  });
});

describe('a simulated DESFire in factory state', () => {
  it('a factory DESFire has no applications, key version 0, and answers the UID pseudo-command itself', () => {
    const desfire = card();
    expect(say(desfire, '906a000000')).toBe('9100');
    expect(say(desfire, '90640000010000')).toBe('009100');
    expect(say(desfire, 'ffca000000')).toBe('04063f726334809000');
  });

  it('a factory DESFire refuses AES authentication at card level', () => {
    expect(say(card(), '90aa0000010000')).toBe('91ae');
  });

  it('EV1 does not know EV2First; EV2 and EV3 say so in GetVersion and do', () => {
    expect(say(card(), '9071000002000000')).toBe('911c');
    expect(say(card({ generation: 'ev2' }), '9060000000')).toBe('04010112001a0591af');
    expect(say(card({ generation: 'ev3' }), '9060000000')).toBe('04010133001a0591af');
    expect(say(withApplication('0b', 'ev3'), '9071000002000000')).toMatch(/^[0-9a-f]{32}91af$/);
  });
});

describe('a simulated DESFire as a badge', () => {
  it.each(['ev1', 'ev2', 'ev3'] as const)('%s is issued, proves its key, and is not issued twice', (generation) => {
    const desfire = card({ generation });
    run(issueDesfire(keys, random), desfire.apdu);
    desfire.reset();
    run(proveDesfire(keys, random), desfire.apdu);
    expect(say(desfire, '90640000010100')).toMatch(/^01[0-9a-f]{16}9100$/);
    desfire.reset();
    expect(() => run(issueDesfire(keys, random), desfire.apdu)).toThrow('91de');
  });

  it('a DESFire badge refuses a reader with another key at the second step', () => {
    const desfire = card();
    run(issueDesfire(keys, random), desfire.apdu);
    expect(() => run(proveDesfire({ ...keys, stamp: Buffer.alloc(16) }, random), desfire.apdu)).toThrow(
      /^90af.* was answered by 91ae/,
    );
  });

  it('a recorded conversation is of no use: each one has a new challenge', () => {
    const desfire = withApplication();
    const firstReply = say(desfire, '90aa0000010000');
    desfire.reset();
    say(desfire, '905a00000331425400');
    expect(say(desfire, '90aa0000010000')).not.toBe(firstReply);
  });

  it('in an EV1 session answers carry MACs, and the UID comes enciphered', () => {
    const desfire = withApplication();
    const session = run(authenticateAes(1, Buffer.alloc(16), random), desfire.apdu);
    expect(run(keyVersionEv1(session, 0), desfire.apdu)).toBe(0);
    expect(run(cardUidEv1(session), desfire.apdu).toString('hex')).toBe(toHex(uid));
    expect(run(keyVersionEv1(session, 1), desfire.apdu)).toBe(0);
  });

  it('in an EV2 session MACs go both ways, and keys change', () => {
    const desfire = withApplication('0b', 'ev2');
    const session = run(authenticateEv2(0, Buffer.alloc(16), random), desfire.apdu);
    expect(run(inMacMode(session, 0x64, Buffer.from([1])), desfire.apdu).toString('hex')).toBe('00');
    expect(run(cardUidEv2(session), desfire.apdu).toString('hex')).toBe(toHex(uid));
    run(changeKeyEv2(session, 1, keys.stamp, 7, Buffer.alloc(16)), desfire.apdu);
    run(changeKeyEv2(session, 0, keys.admin, 8), desfire.apdu);
    expect(desfire.memory.applications[0]!.keys.map(({ key, version }) => [toHex(key), version])).toEqual([
      [keys.admin.toString('hex'), 8],
      [keys.stamp.toString('hex'), 7],
    ]);
    expect(say(desfire, '9051000000')).toBe('91ae');
  });

  it('in an EV2 session a command without its MAC ends the session', () => {
    const desfire = withApplication('0b', 'ev2');
    const session = run(authenticateEv2(0, Buffer.alloc(16), random), desfire.apdu);
    expect(say(desfire, '9064000009010000000000000000' + '00')).toBe('911e');
    expect(() => run(cardUidEv2(session), desfire.apdu)).toThrow('91ae');
  });
});

describe('the authenticated state of a simulated DESFire ends', () => {
  const ends: readonly (readonly [string, string, string])[] = [
    ['when an application is selected', '905a00000331425400', '9100'],
    ['when a new authentication begins', '90aa0000010000', '91af'],
    ['at an unknown command', '9099000000', '911c'],
    ['at an unknown key', '90640000010e00', '9140'],
    ['at a wrong length', '90640000020000' + '00', '917e'],
    ['at a wrong length field', '9064000005000000', '6700'],
    ['at a change of a key with damaged content', `90c400002101${'00'.repeat(32)}00`, '911e'],
  ];

  it.each(ends)('the authenticated state ends %s', (_, command, status) => {
    const desfire = withApplication();
    const session = run(authenticateAes(0, Buffer.alloc(16), random), desfire.apdu);
    run(cardUidEv1(session), desfire.apdu);
    expect(say(desfire, command).slice(-4)).toBe(status);
    // A chain that is still open answers CA, a session that is gone AE.
    expect(say(desfire, '9051000000')).toBe(status === '91af' ? '91ca' : '91ae');
  });

  it('at a reset, which leaves keys and applications', () => {
    const desfire = withApplication();
    const session = run(authenticateAes(0, Buffer.alloc(16), random), desfire.apdu);
    run(changeKeyEv1(session, 1, keys.stamp, 3, Buffer.alloc(16)), desfire.apdu);
    desfire.reset();
    expect(say(desfire, '9051000000')).toBe('91ae');
    expect(say(desfire, '906a000000')).toBe('3142549100');
    say(desfire, '905a00000331425400');
    expect(say(desfire, '90640000010100')).toBe('039100');
  });
});

describe('an open chain of a simulated DESFire', () => {
  it('an open chain answers CA once to anything but its next frame', () => {
    const desfire = withApplication();
    say(desfire, '90aa0000010000');
    expect(say(desfire, '905a00000331425400')).toBe('91ca');
    expect(say(desfire, '905a00000331425400')).toBe('9100');
    say(desfire, '9060000000');
    expect(say(desfire, '9060000000')).toBe('91ca');
    expect(say(desfire, '90af000000')).toBe('911c');
  });

  it('an open chain is gone after a reset', () => {
    const desfire = withApplication();
    say(desfire, '90aa0000010000');
    desfire.reset();
    expect(say(desfire, '905a00000331425400')).toBe('9100');
  });
});

describe('the rights on a simulated DESFire', () => {
  it('an application that exists is not created again, and an unknown one not selected', () => {
    const desfire = withApplication();
    say(desfire, '905a00000300000000');
    expect(say(desfire, '90ca0000053142540b8200')).toBe('91de');
    expect(say(desfire, '905a00000399999900')).toBe('91a0');
  });

  it.each([
    ['three-key triple DES', '42'],
    ['ISO file identifiers', 'a2'],
    ['no keys', '80'],
    ['fifteen keys', '8f'],
  ])('%s are not simulated', (_, layout) => {
    expect(say(card(), `90ca0000053142540b${layout}00`)).toBe('919e');
  });

  it('keys change only in a session with the key that the settings name', () => {
    const desfire = withApplication();
    expect(say(desfire, `90c400002101${'00'.repeat(32)}00`)).toBe('91ae');
    const otherSession = run(authenticateAes(1, Buffer.alloc(16), random), desfire.apdu);
    expect(() => run(changeKeyEv1(otherSession, 1, keys.stamp, 1), desfire.apdu)).toThrow('91ae');
    const master = run(authenticateAes(0, Buffer.alloc(16), random), desfire.apdu);
    run(changeKeyEv1(master, 1, keys.stamp, 1, Buffer.alloc(16)), desfire.apdu);
    expect(run(cardUidEv1(master), desfire.apdu).toString('hex')).toBe(toHex(uid));
  });

  it('with settings E each key changes itself; with F none but the master', () => {
    const desfire = withApplication('eb');
    run(changeKeyEv1(run(authenticateAes(1, Buffer.alloc(16), random), desfire.apdu), 1, keys.stamp, 1), desfire.apdu);
    expect(toHex(desfire.memory.applications[0]!.keys[1]!.key)).toBe(keys.stamp.toString('hex'));
    const frozenCard = withApplication('fb');
    expect(() =>
      run(
        changeKeyEv1(run(authenticateAes(1, Buffer.alloc(16), random), frozenCard.apdu), 1, keys.stamp, 1),
        frozenCard.apdu,
      ),
    ).toThrow('91ae');
    run(
      changeKeyEv1(run(authenticateAes(0, Buffer.alloc(16), random), frozenCard.apdu), 0, keys.admin, 1),
      frozenCard.apdu,
    );
  });

  it('without bit 0 the master key stays as it is, without bit 1 the settings are shown to the master only', () => {
    const desfire = withApplication('08');
    expect(say(desfire, '9045000000')).toBe('91ae');
    const master = run(authenticateAes(0, Buffer.alloc(16), random), desfire.apdu);
    expect(() => run(changeKeyEv1(master, 0, keys.admin, 1), desfire.apdu)).toThrow('91ae');
  });

  it('applications are deleted by the card key, or by their own master while bit 2 allows it', () => {
    const desfire = withApplication();
    expect(say(desfire, '90da00000331425400')).toBe('91ae');
    run(authenticateAes(0, Buffer.alloc(16), random), desfire.apdu);
    expect(say(desfire, '90da00000331425400')).toMatch(/^[0-9a-f]{16}9100$/);
    expect(say(desfire, '906a000000')).toBe('9100');
  });

  it('formatting takes the card key, removes the applications and leaves the card key', () => {
    const desfire = withApplication();
    expect(say(desfire, '90fc000000')).toBe('91ae');
    say(desfire, '905a00000300000000');
    expect(say(desfire, '90fc000000')).toBe('91ae');
    run(authenticateFactoryDes(random), desfire.apdu);
    expect(say(desfire, '90fc000000')).toMatch(/^[0-9a-f]{16}9100$/);
    expect(desfire.memory.applications).toEqual([]);
    expect(desfire.memory.key.type).toBe('des');
  });

  it('more applications than fit into one frame are listed in two', () => {
    const desfire = card();
    for (let number = 1; number <= 28; number += 1)
      say(desfire, `90ca00000500ff${number.toString(16).padStart(2, '0')}0b8100`);
    expect(say(desfire, '90ca0000050100ff0b8100')).toBe('91ce');
    expect(say(desfire, '906a000000')).toMatch(/^[0-9a-f]{114}91af$/);
    expect(say(desfire, '90af000000')).toMatch(/^[0-9a-f]{54}9100$/);
  });
});

describe('the framing of a simulated DESFire', () => {
  it.each([
    ['another class', '8060000000', '6e00'],
    ['parameters', '9060010000', '6a86'],
    ['a length that does not fit', '905a000009314254', '6700'],
    ['an ISO command', '00b0000000', '6d00'],
    ['an ISO SELECT of something else', '00a4040007d276000085010100', '6a82'],
    ['an ISO SELECT of the card level', '00a4040007d276000085010000', '9000'],
    ['another reader command', 'ffca010000', '6a81'],
    ['next to nothing', '9060', '6700'],
  ])('%s is answered by its status word', (_, command, status) => {
    expect(say(card(), command)).toBe(status);
  });
});
