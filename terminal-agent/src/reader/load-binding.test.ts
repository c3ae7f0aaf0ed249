import { describe, expect, it } from '@jest/globals';
import { ConfigurationFaults } from '../config.js';
import { loadBinding } from './load-binding.js';

const failWith = (message: string, code?: string) => () =>
  Promise.reject(Object.assign(new Error(message), code === undefined ? {} : { code }));

describe('a package for PC/SC', () => {
  it('a package for PC/SC is loaded, whether it exports by name or as a whole', async () => {
    const binding = { NFC: class {} };
    expect(await loadBinding('nfc-pcsc', () => Promise.resolve({ default: binding }))).toBe(binding);
    expect(await loadBinding('nfc-pcsc', () => Promise.resolve(binding))).toBe(binding);
  });

  it.each([
    ['is not there', failWith('Cannot find package', 'ERR_MODULE_NOT_FOUND'), /is not built; install libpcsclite-dev/],
    [
      'is there without its native part',
      failWith('Could not locate the bindings file. Tried: …'),
      /is not built; install libpcsclite-dev/,
    ],
    [
      'does not find its native part',
      failWith('Cannot find module', 'MODULE_NOT_FOUND'),
      /is not built; install libpcsclite-dev/,
    ],
    [
      'does not find the library',
      failWith('libpcsclite.so.1: cannot open shared object file', 'ERR_DLOPEN_FAILED'),
      /install libpcsclite1 .*libpcsclite\.so\.1/,
    ],
    ['fails otherwise', failWith('boom'), /does not start: boom/],
  ])('that %s is told in one sentence', async (_, load, sentence) => {
    const error: unknown = await loadBinding('smartcard', load).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationFaults);
    expect((error as ConfigurationFaults).faults).toEqual([expect.stringMatching(sentence)]);
    expect((error as ConfigurationFaults).faults[0]).toMatch(/^READER=smartcard: /);
  });

  it('that nobody has is missing for real', async () => {
    await expect(loadBinding('a-package-that-does-not-exist')).rejects.toThrow(ConfigurationFaults);
  });
});
