import { describe, expect, it } from '@jest/globals';
import {
  authenticateFactoryDes,
  type BadgeKeys,
  changeKeyEv1,
  issueDesfire,
  issueNtag,
  proveDesfire,
  proveNtag,
  type Random,
  run,
} from '../test/verifier.js';
import { fromHex } from './bytes.js';
import { cardFamilies, type FiledCard, factoryCard, readCardFile, writeCardFile } from './card-file.js';

let counter = 0;
const countingBytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => {
    counter += 1 + index;
    return counter & 0xff;
  });
const random: Random = (length) => Buffer.from(countingBytes(length));
const keys: BadgeKeys = {
  aid: Buffer.from('314254', 'hex'),
  admin: Buffer.from('a8dd63a3b89d54b37ca802473fda9175', 'hex'),
  stamp: Buffer.from('351f4565fb8e49c7add45b721e3f5380', 'hex'),
  version: 1,
};

const issue = (card: FiledCard): void =>
  run(card.family === 'ntag424' ? issueNtag(keys, random) : issueDesfire(keys, random), card.apdu);

describe('a card file', () => {
  it.each(cardFamilies)('a card file keeps a factory card and an issued badge of family %s', (family) => {
    const factory = factoryCard(family, fromHex('04958caa5c5e80'), countingBytes);
    const factoryText = writeCardFile(factory);
    expect(writeCardFile(readCardFile(factoryText, countingBytes))).toBe(factoryText);
    issue(factory);
    const issuedText = writeCardFile(factory);
    expect(issuedText).not.toBe(factoryText);
    const copy = readCardFile(issuedText, countingBytes);
    run<unknown>(copy.family === 'ntag424' ? proveNtag(keys, random) : proveDesfire(keys, random), copy.apdu);
    expect(writeCardFile(copy)).toBe(issuedText);
  });

  it('a card file is the same text after a proof as before', () => {
    const card = factoryCard('desfire-ev3', fromHex('04958caa5c5e80'), countingBytes);
    issue(card);
    const originalText = writeCardFile(card);
    run(proveDesfire(keys, random), card.apdu);
    expect(writeCardFile(card)).toBe(originalText);
  });

  it('a card file keeps the card key of a DESFire and the counters of an NTAG', () => {
    const desfire = factoryCard('desfire-ev2', fromHex('04958caa5c5e80'), countingBytes);
    run(changeKeyEv1(run(authenticateFactoryDes(random), desfire.apdu), 0x80, keys.admin, 5), desfire.apdu);
    expect(JSON.parse(writeCardFile(desfire))).toMatchObject({
      key: { type: 'aes', key: keys.admin.toString('hex'), version: 5 },
    });
    const ntag = factoryCard('ntag424', fromHex('04958caa5c5e80'), countingBytes);
    run(issueNtag(keys, random), ntag.apdu);
    ntag.reset();
    expect(() => run(issueNtag(keys, random), ntag.apdu)).toThrow('91ae');
    expect(JSON.parse(writeCardFile(readCardFile(writeCardFile(ntag), countingBytes)))).toMatchObject({
      keys: { 0: { failed_in_a_row: 1, failed_in_all: 1 } },
    });
  });

  it.each([
    ['no JSON', 'hello'],
    [
      'another format',
      JSON.stringify({
        ...JSON.parse(writeCardFile(factoryCard('ntag424', fromHex('04958caa5c5e80'), countingBytes))),
        format: 2,
      }),
    ],
    [
      'an unknown family',
      JSON.stringify({
        ...JSON.parse(writeCardFile(factoryCard('ntag424', fromHex('04958caa5c5e80'), countingBytes))),
        family: 'classic',
      }),
    ],
    [
      'a short UID',
      JSON.stringify({
        ...JSON.parse(writeCardFile(factoryCard('ntag424', fromHex('04958caa5c5e80'), countingBytes))),
        uid: '04958caa',
      }),
    ],
    [
      'an unknown member',
      JSON.stringify({
        ...JSON.parse(writeCardFile(factoryCard('ntag424', fromHex('04958caa5c5e80'), countingBytes))),
        owner: 'Ada',
      }),
    ],
  ])('with %s is refused in one line', (_, text) => {
    expect(() => readCardFile(text, countingBytes)).toThrow(/^not a card file: .+$/);
  });
});
