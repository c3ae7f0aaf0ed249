import { describe, expect, it } from '@jest/globals';
import {
  authenticateEv2,
  type BadgeKeys,
  cardUidEv2,
  changeKeyEv2,
  inMacMode,
  issueNtag,
  proveNtag,
  type Random,
  run,
} from '../test/verifier.js';
import { fromHex, toHex } from './bytes.js';
import { factoryNtag424, type SimulatedNtag424, simulateNtag424 } from './ntag424.js';

const uid = fromHex('04958caa5c5e80');
const production = fromHex('cf0d51c7172024');
const select = '00a4040007d276000085010100';

let counter = 0;
const countingBytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => {
    counter += 1 + index;
    return counter & 0xff;
  });
const random: Random = (length) => Buffer.from(countingBytes(length));

function card(...numbers: readonly string[]): SimulatedNtag424 {
  const values = [...numbers];
  return simulateNtag424(factoryNtag424(uid, production), (length) => {
    const value = values.shift();
    return value === undefined ? countingBytes(length) : fromHex(value);
  });
}

const say = (to: SimulatedNtag424, command: string): string => toHex(to.apdu(fromHex(command)));

const keys: BadgeKeys = {
  aid: Buffer.alloc(0),
  admin: Buffer.from('a8dd63a3b89d54b37ca802473fda9175', 'hex'),
  stamp: Buffer.from('351f4565fb8e49c7add45b721e3f5380', 'hex'),
  version: 1,
};

/** One failed authentication, or the card's answer instead of it. */
function fail(ntag: SimulatedNtag424, keyNumber = '01'): string {
  const reply = say(ntag, `9071000002${keyNumber}0000`);
  return reply.endsWith('91af') ? say(ntag, `90af000020${'00'.repeat(32)}00`) : reply;
}

describe('a simulated NTAG 424 DNA', () => {
  it('authenticates with EV2First as published in AN12196', () => {
    const ntag = card('b9e2fc789b64bf237cccaa20ec7e6e48', '9d00c4df');
    expect(say(ntag, select)).toBe('9000');
    expect(say(ntag, '9071000002000000')).toBe('a04c124213c186f22399d33ac2a3021591af');
    expect(say(ntag, '90af00002035c3e05a752e0144bac0de51c1f22c56b34408a23d8aea266cab947ea8e0118d00')).toBe(
      '3fa64db5446d1f34cd6ea311167f5e4985b89690c04a05f17fa7ab2f081206639100',
    );
  });

  it('a simulated NTAG 424 tells its version without being selected, and nothing about keys', () => {
    const ntag = card();
    expect(say(ntag, '9060000000')).toBe('0404023000110591af');
    expect(say(ntag, '90af000000')).toBe('0404020102110591af');
    expect(say(ntag, '90af000000')).toBe('04958caa5c5e80cf0d51c71720249100');
    for (const command of ['9071000002000000', '90640000010000', `90c400002900${'00'.repeat(40)}00`])
      expect(say(ntag, command)).toBe('9140');
    expect(say(ntag, select)).toBe('9000');
    expect(say(ntag, '90640000010000')).toBe('009100');
    expect(say(ntag, '90640000010500')).toBe('9140');
  });

  it.each([
    '905a00000300000000',
    '90aa0000010000',
    '901a0000010000',
    '906a000000',
    '9045000000',
    '90ca0000053142540b8200',
  ])('a simulated NTAG 424 does not know %s', (command) => {
    const ntag = card();
    say(ntag, select);
    expect(say(ntag, command)).toBe('911c');
  });

  it('selects by name with either P2, returns to the master file, and knows no other', () => {
    const ntag = card();
    expect(say(ntag, '00a4040c07d276000085010100')).toBe('9000');
    expect(say(ntag, '90640000010000')).toBe('009100');
    expect(say(ntag, '00a4000c023f00')).toBe('9000');
    expect(say(ntag, '90640000010000')).toBe('9140');
    expect(say(ntag, '00a4040007d276000085010000')).toBe('6a82');
  });

  it('a simulated NTAG 424 answers the UID pseudo-command itself', () => {
    expect(say(card(), 'ffca000000')).toBe('04958caa5c5e809000');
  });

  it('a simulated NTAG 424 is issued, proves its key, and is not issued twice', () => {
    const ntag = card();
    run(issueNtag(keys, random), ntag.apdu);
    ntag.reset();
    run(proveNtag(keys, random), ntag.apdu);
    ntag.reset();
    expect(() => run(issueNtag(keys, random), ntag.apdu)).toThrow('91ae');
    expect(ntag.memory.keys.map(({ key }) => [toHex(key.key), key.version])).toEqual([
      [keys.admin.toString('hex'), 1],
      [keys.stamp.toString('hex'), 1],
      ...Array.from({ length: 3 }, () => ['00'.repeat(16), 0]),
    ]);
  });

  it('protects commands in a session and gives its UID enciphered', () => {
    const ntag = card();
    say(ntag, select);
    const session = run(authenticateEv2(3, Buffer.alloc(16), random), ntag.apdu);
    expect(run(inMacMode(session, 0x64, Buffer.from([0])), ntag.apdu).toString('hex')).toBe('00');
    expect(run(cardUidEv2(session), ntag.apdu).toString('hex')).toBe(toHex(uid));
    expect(say(ntag, '90640000010000')).toBe('917e');
    expect(say(ntag, '9051000000')).toBe('91ae');
  });

  it('a simulated NTAG 424 changes keys in a session with key 0 only', () => {
    const ntag = card();
    say(ntag, select);
    expect(say(ntag, `90c400002901${'00'.repeat(40)}00`)).toBe('91ae');
    const session = run(authenticateEv2(2, Buffer.alloc(16), random), ntag.apdu);
    expect(() => run(changeKeyEv2(session, 2, keys.stamp, 1), ntag.apdu)).toThrow('919d');
  });

  it('a simulated NTAG 424 answers CA once to a command in the middle of an authentication', () => {
    const ntag = card();
    say(ntag, select);
    say(ntag, '9071000002000000');
    expect(say(ntag, '90640000010000')).toBe('91ca');
    expect(say(ntag, '90640000010000')).toBe('009100');
  });

  it('a reset ends selection and session of a simulated NTAG 424', () => {
    const ntag = card();
    say(ntag, select);
    run(authenticateEv2(0, Buffer.alloc(16), random), ntag.apdu);
    ntag.reset();
    expect(say(ntag, '90640000010000')).toBe('9140');
  });

  it('delays after 50 failures in a row, longer each time; a success ends it', () => {
    const ntag = card();
    say(ntag, select);
    for (let failure = 1; failure <= 50; failure += 1) expect(fail(ntag)).toBe('91ae');
    expect([fail(ntag), fail(ntag)]).toEqual(['91ad', '91ae']);
    expect([fail(ntag), fail(ntag)]).toEqual(['91ad', '91ad']);
    run(authenticateEv2(1, Buffer.alloc(16), random), ntag.apdu);
    expect(ntag.memory.keys[1]).toMatchObject({ failedInARow: 0, failedInAll: 41, delay: 0 });
  });

  it('a simulated NTAG 424 keeps counting over a reset, and by key', () => {
    const ntag = card();
    for (let failure = 1; failure <= 50; failure += 1) {
      say(ntag, select);
      fail(ntag);
      ntag.reset();
    }
    say(ntag, select);
    expect(fail(ntag)).toBe('91ad');
    run(authenticateEv2(0, Buffer.alloc(16), random), ntag.apdu);
  });

  it('a key with a thousand failures is dead', () => {
    const ntag = card();
    say(ntag, select);
    ntag.memory.keys[1]!.failedInAll = 999;
    expect(fail(ntag)).toBe('91ae');
    expect(fail(ntag)).toBe('919d');
  });
});
