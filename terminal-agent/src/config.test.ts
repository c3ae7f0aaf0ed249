import { describe, expect, it } from '@jest/globals';
import {
  ConfigurationFaults,
  type Environment,
  readCardsConfig,
  readRunConfig,
  readServiceConfig,
  readStateConfig,
} from './config.js';

const goodSettings = { SERVICE_URL: 'https://time.example.com', STATE_DIR: '/tmp/state', TIME_ZONE: 'Europe/Berlin' };

function faults(readConfig: () => unknown): readonly string[] {
  try {
    readConfig();
  } catch (error) {
    if (error instanceof ConfigurationFaults) return error.faults;
    throw error;
  }
  return [];
}
const faultsOf = (env: Environment): readonly string[] => faults(() => readRunConfig(env));

describe('the configuration of a terminal', () => {
  it('a terminal needs an address and no more', () => {
    expect(readRunConfig({ SERVICE_URL: 'https://time.example.com' })).toMatchObject({
      serviceUrl: new URL('https://time.example.com/'),
      stateFolder: '/var/lib/clockproof-terminal',
      requestTimeout: 5_000,
      reader: 'smartcard',
      readerName: undefined,
      pcscdSocket: '/run/pcscd/pcscd.comm',
      actions: [],
      simulator: undefined,
    });
  });

  it('the configuration names every fault at once', () => {
    const names = faultsOf({
      SERVICE_URL: 'ftp://x',
      REQUEST_TIMEOUT: '0',
      READER: 'magic',
      ACTIONS: 'in,lunch',
      TIME_ZONE: 'Mars/Base',
    });
    expect(names.map((fault) => fault.split(' ')[0])).toEqual([
      'SERVICE_URL',
      'REQUEST_TIMEOUT',
      'READER',
      'ACTIONS',
      'TIME_ZONE',
    ]);
  });

  it('the configuration names what simulated cards need beside all other faults', () => {
    const names = faultsOf({ READER: 'simulated', SIMULATOR_PORT: '70000' });
    expect(names.map((fault) => fault.split(' ')[0])).toEqual(['SERVICE_URL', 'SIMULATOR_PORT', 'CARDS_DIR']);
  });

  it('a real reader needs no settings of simulated cards', () => {
    expect(faultsOf({ ...goodSettings, READER: 'nfc-pcsc', SIMULATOR_PORT: 'x' })).toEqual([]);
  });

  it('an empty variable counts as a missing one', () => {
    expect(faultsOf({ ...goodSettings, SERVICE_URL: '' })).toEqual([expect.stringMatching(/^SERVICE_URL is required/)]);
  });

  it.each(['https://time.example.com/base/', 'http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])(
    'the configuration accepts the address %s',
    (url) => {
      expect(faultsOf({ ...goodSettings, SERVICE_URL: url })).toEqual([]);
    },
  );

  it.each([
    'time.example.com',
    'http://time.example.com',
    'http://127.0.0.1.example.com',
    'https://u:p@time.example.com',
    'https://time.example.com/?a=b',
    'ws://127.0.0.1',
  ])('the configuration refuses the address %s', (url) => {
    expect(faultsOf({ ...goodSettings, SERVICE_URL: url })).toHaveLength(1);
  });

  it('the configuration reads a script of stamps', () => {
    expect(readRunConfig({ ...goodSettings, ACTIONS: 'in,break_start,break_end,out' }).actions).toEqual([
      'in',
      'break_start',
      'break_end',
      'out',
    ]);
    expect(readRunConfig({ ...goodSettings, ACTIONS: 'toggle' }).actions).toEqual([]);
  });

  it('the configuration reads what simulated cards need', () => {
    expect(
      readRunConfig({ ...goodSettings, READER: 'simulated', SIMULATOR_PORT: '0', CARDS_DIR: '/tmp/cards' }).simulator,
    ).toEqual({ port: 0, faults: [], cardsFolder: '/tmp/cards' });
  });

  it('each command needs only its own settings', () => {
    expect(faults(() => readCardsConfig({ CARDS_DIR: '/tmp/cards' }))).toEqual([]);
    expect(faults(() => readCardsConfig({}))).toEqual([expect.stringMatching(/^CARDS_DIR is required/)]);
    expect(faults(() => readStateConfig({}))).toEqual([]);
    expect(faults(() => readServiceConfig({ SERVICE_URL: 'https://time.example.com', READER: 'magic' }))).toEqual([]);
  });
});
