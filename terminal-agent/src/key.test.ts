import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigurationFaults } from './config.js';
import { fingerprintOf, keyFile, keyFromSeed, loadOrCreateKey, newKey } from './key.js';

let folder: string;

const hex = (value: string): Uint8Array => Uint8Array.from(Buffer.from(value, 'hex'));
const ofBytes =
  (byte: number) =>
  (length: number): Uint8Array =>
    new Uint8Array(length).fill(byte);

describe('the key of a terminal', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'terminal-key-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('signs as RFC 8032 does', () => {
    const key = keyFromSeed(hex('c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7'));
    expect(Buffer.from(key.publicKey).toString('hex')).toBe(
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    );
    expect(Buffer.from(key.sign(hex('af82'))).toString('hex')).toBe(
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    );
  });

  it('the key has the fingerprint that the documentation of the protocol shows', () => {
    expect(fingerprintOf(hex('03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8'))).toBe(
      'AS3N-N9TM-CD3M-R0M5',
    );
  });

  it('the key is made once, and read afterwards', async () => {
    const key = await loadOrCreateKey(folder, ofBytes(1));
    const sameKey = await loadOrCreateKey(folder, ofBytes(2));
    expect(sameKey.fingerprint).toBe(key.fingerprint);
    expect(key.publicKey).toEqual(keyFromSeed(new Uint8Array(32).fill(1)).publicKey);
  });

  it('the key is in a file of its own that only its owner may read', async () => {
    await loadOrCreateKey(folder, ofBytes(1));
    expect((await stat(keyFile(folder))).mode & 0o777).toBe(0o600);
    expect(await readFile(keyFile(folder), 'utf8')).toBe(`${Buffer.alloc(32, 1).toString('base64')}\n`);
  });

  it("the first start makes the key's folder, for its owner only", async () => {
    const stateFolder = join(folder, 'state');
    await loadOrCreateKey(stateFolder, ofBytes(1));
    expect((await stat(stateFolder)).mode & 0o777).toBe(0o700);
  });

  it('processes that start at once use the same key', async () => {
    const keys = await Promise.all([1, 2, 3, 4, 5].map((byte) => loadOrCreateKey(folder, ofBytes(byte))));
    expect(new Set(keys.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });

  it.each([
    ['empty', ''],
    ['short', 'AAAA\n'],
    ['not base64', `${'!'.repeat(43)}=\n`],
    ['longer', `${Buffer.alloc(64).toString('base64')}\n`],
  ])('a key is refused if its file is damaged: %s', async (_, content) => {
    await writeFile(keyFile(folder), content, { mode: 0o600 });
    await expect(loadOrCreateKey(folder, ofBytes(1))).rejects.toThrow(ConfigurationFaults);
    expect(await readFile(keyFile(folder), 'utf8')).toBe(content);
  });

  it('a key is refused if others may read its file', async () => {
    await loadOrCreateKey(folder, ofBytes(1));
    await chmod(keyFile(folder), 0o640);
    await expect(loadOrCreateKey(folder, ofBytes(1))).rejects.toThrow(/can be read by others/);
  });

  it('a new key replaces the old one when it is saved, and not before', async () => {
    const old = await loadOrCreateKey(folder, ofBytes(1));
    const replacement = newKey(ofBytes(2));
    expect(replacement.fingerprint).not.toBe(old.fingerprint);
    expect((await loadOrCreateKey(folder, ofBytes(3))).fingerprint).toBe(old.fingerprint);
    await replacement.save(folder);
    expect((await loadOrCreateKey(folder, ofBytes(3))).fingerprint).toBe(replacement.fingerprint);
    expect((await stat(keyFile(folder))).mode & 0o777).toBe(0o600);
  });

  it('the key shows no private half', () => {
    expect(Object.keys(keyFromSeed(new Uint8Array(32))).sort()).toEqual(['fingerprint', 'publicKey', 'sign']);
  });
});
