import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationFaults } from '@clockproof/platform/config/config';
import { cdnAddresses } from '@clockproof/platform/http/cdn-addresses';
import { parseNetworks } from '@clockproof/platform/http/client-address';
import { describe, expect, it } from '@jest/globals';
import { readConfig, shippedTerms } from './config.js';

const minimum = { ACCEPT_TERMS: 'true', CHAIN_ANCHOR_PACKAGE: '0x2' };

function faults(env: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationFaults) return error.faults;
    throw error;
  }
}

describe('the settings', () => {
  it('the settings have the documented defaults', () => {
    expect(readConfig(minimum)).toMatchObject({
      CHAIN_ANCHOR_PACKAGE: `0x${'2'.padStart(64, '0')}`,
      CHAIN_NETWORK: 'mainnet',
      CHAIN_FAMILY: 'iota',
      CHAIN_GRAPHQL_URL: 'https://graphql.mainnet.iota.cafe',
      DB_DRIVER: 'sqlite',
      DB_DSN: 'data/indexer.sqlite',
      LISTEN_ADDR: { host: '::', port: 8080 },
      POLL_INTERVAL: 60_000,
      ADDRESSES: [],
      TRUSTED_PROXIES: [],
      RATE_IP_PER_MINUTE: 60,
      pauseMilliseconds: 250,
    });
  });

  it.each([undefined, '', 'TRUE', 'True', 'yes', '1', ' true', 'true '])(
    'show the address of the terms unless ACCEPT_TERMS is exactly true (%j)',
    (value) => {
      const faultsFound = faults({ ...minimum, ACCEPT_TERMS: value });
      expect(faultsFound).toHaveLength(1);
      expect(faultsFound[0]).toContain(shippedTerms);
      expect(readFileSync(new URL(shippedTerms), 'utf8')).toMatch(/^# Terms of use\n/);
      expect(faultsFound[0]).toMatch(/^ACCEPT_TERMS /);
    },
  );

  it.each([
    ['CHAIN_ANCHOR_PACKAGE', ['', 'abc', '0x', '0xg', `0x${'1'.repeat(65)}`, '2']],
    ['CHAIN_NETWORK', ['main', 'Mainnet', 'localnet']],
    ['CHAIN_FAMILY', ['move', 'IOTA']],
    ['CHAIN_GRAPHQL_URL', ['graphql', 'ftp://x', 'javascript:alert(1)', 'http://user:pw@node', 'https://token@node/x']],
    ['TERMS_URL', ['terms', 'file:///etc/terms']],
    ['RESCAN_PAGES', ['-1', '1001', 'all']],
    ['DB_DRIVER', ['mysql', 'SQLite']],
    ['LISTEN_ADDR', ['8080', ':x', ':99999', 'host']],
    ['POLL_INTERVAL', ['0s', '0', '60', '-5s', '1d', 'fast', '5 m', '25h', '1.5s']],
    ['ADDRESSES', ['abc', '0x1,zzz', '0x1;0x2', ',', ' ', ', ,']],
    ['DB_DSN', [':memory:', 'postgres://u:secretpw@db/x', 'mysql://x', 'file:x.sqlite', 'host=db password=secretpw']],
    ['TRUSTED_PROXIES', ['10.0.0.0/33', 'true', '*', 'CDN', 'cdn,10.0.0', '1.2.3.4/x']],
    ['CDN_ADDRESSES_FILE', ['/does/not/exist', '/dev/null']],
    ['RATE_IP_PER_MINUTE', ['0', '-1', '1e3', 'sixty', '060']],
    ['LOG_LEVEL', ['loud']],
  ] as [string, string[]][])('name %s where its value is wrong', (name, values) => {
    for (const value of values) {
      const configFaults = faults({ ...minimum, [name]: value });
      expect([value, configFaults.length]).toEqual([value, 1]);
      expect(configFaults[0]).toMatch(new RegExp(`^${name} `));
      expect(configFaults[0]).not.toMatch(/secretpw|user:pw|token/);
    }
  });

  it('all faults of the settings are named at once', () => {
    expect(
      faults({ CHAIN_ANCHOR_PACKAGE: 'x', POLL_INTERVAL: '0s', TRUSTED_PROXIES: '*', DB_DRIVER: 'postgres' })
        .map((fault) => fault.split(' ')[0])
        .sort(),
    ).toEqual(['ACCEPT_TERMS', 'CHAIN_ANCHOR_PACKAGE', 'DB_DSN', 'POLL_INTERVAL', 'TRUSTED_PROXIES']);
  });

  it('SQLite takes any path as its file', () => {
    for (const path of ['data/x.sqlite', '/var/lib/x', 'C:\\\\data\\\\x.sqlite', './a:b'])
      expect([path, faults({ ...minimum, DB_DSN: path })]).toEqual([path, []]);
  });

  it('show the terms of this installation', () => {
    expect(faults({ CHAIN_ANCHOR_PACKAGE: '0x2', TERMS_URL: 'https://proofs.example/terms' })[0]).toContain(
      'https://proofs.example/terms',
    );
  });

  it('PostgreSQL needs a connection string', () => {
    expect(faults({ ...minimum, DB_DRIVER: 'postgres' })).toHaveLength(1);
    expect(faults({ ...minimum, DB_DRIVER: 'postgres', DB_DSN: 'data/file' })).toHaveLength(1);
    expect(faults({ ...minimum, DB_DRIVER: 'postgres', DB_DSN: 'postgres://db/x' })).toEqual([]);
  });

  it.each([
    ['iota', 'testnet', 'https://graphql.testnet.iota.cafe'],
    ['sui', 'mainnet', 'https://graphql.mainnet.sui.io/graphql'],
    ['sui', 'devnet', 'https://graphql.devnet.sui.io/graphql'],
  ])('the settings pick the endpoint of %s %s', (family, network, url) => {
    expect(readConfig({ ...minimum, CHAIN_FAMILY: family, CHAIN_NETWORK: network }).CHAIN_GRAPHQL_URL).toBe(url);
    expect(
      readConfig({
        ...minimum,
        CHAIN_FAMILY: family,
        CHAIN_NETWORK: network,
        CHAIN_GRAPHQL_URL: 'http://127.0.0.1:9/x',
      }),
    ).toMatchObject({ CHAIN_GRAPHQL_URL: 'http://127.0.0.1:9/x', pauseMilliseconds: 0 });
  });

  it('read durations and lists', () => {
    expect(readConfig({ ...minimum, POLL_INTERVAL: '1m30s', ADDRESSES: ' 0xB, 0xa ,0xB' })).toMatchObject({
      POLL_INTERVAL: 90_000,
      ADDRESSES: [`0x${'a'.padStart(64, '0')}`, `0x${'b'.padStart(64, '0')}`],
    });
  });

  it('put the shipped or the given list in place of cdn', () => {
    expect(readConfig({ ...minimum, TRUSTED_PROXIES: 'cdn, 10.0.0.1' }).TRUSTED_PROXIES).toHaveLength(
      cdnAddresses.networks.length + 1,
    );
    expect(parseNetworks(cdnAddresses.networks.join(','))).toHaveLength(cdnAddresses.networks.length);
    expect(cdnAddresses.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const file = join(mkdtempSync(join(tmpdir(), 'cdn-')), 'list');
    writeFileSync(file, '# ours\n192.0.2.0/24\n\n2001:db8::/32 # v6\n');
    expect(readConfig({ ...minimum, TRUSTED_PROXIES: 'cdn', CDN_ADDRESSES_FILE: file }).TRUSTED_PROXIES).toHaveLength(
      2,
    );
  });
});
