import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalAddress, clientAddress, limitKey, NotANetwork, parseNetworks } from './client-address.js';

const trustedNetworks = parseNetworks('173.245.48.0/20, 2400:cb00::/32, 198.51.100.7');

describe('the address of a client', () => {
  it.each([
    ['is the peer where nothing is forwarded', '203.0.113.9', undefined, '203.0.113.9'],
    ['is a public peer that is not listed, whatever it claims', '203.0.113.9', '192.0.2.1', '203.0.113.9'],
    ['is what the reverse proxy on this machine saw', '127.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['is what the reverse proxy in the private network saw', '10.0.0.5', '192.0.2.1', '192.0.2.1'],
    ['is what the reverse proxy on ::1 saw', '::1', '2001:db8::1', '2001:db8::1'],
    ['is what a listed public peer saw', '198.51.100.7', '192.0.2.1', '192.0.2.1'],
    ['is found behind listed hops', '127.0.0.1', '192.0.2.1, 173.245.48.9', '192.0.2.1'],
    ['is found behind several listed hops', '127.0.0.1', '6.6.6.6, 192.0.2.1, 2400:cb00::5, 173.245.48.9', '192.0.2.1'],
    [
      'ignores everything left of the first hop that is not listed',
      '127.0.0.1',
      '6.6.6.6, 7.7.7.7, 192.0.2.1',
      '192.0.2.1',
    ],
    ['may be a private address that is not listed', '127.0.0.1', '6.6.6.6, 192.168.1.20', '192.168.1.20'],
    ['is the last good hop where garbage follows', '127.0.0.1', '6.6.6.6, garbage, 173.245.48.9', '173.245.48.9'],
    ['is the peer where the right end is garbage', '127.0.0.1', '192.0.2.1, unknown', '127.0.0.1'],
    ['is the peer where the right end is empty', '127.0.0.1', '192.0.2.1, ', '127.0.0.1'],
    ['is the leftmost hop where all are listed', '127.0.0.1', '173.245.48.1, 173.245.48.9', '173.245.48.1'],
    ['is unmapped from IPv6', '::ffff:127.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['is unmapped from the hexadecimal form too', '::ffff:7f00:1', '::ffff:c000:201', '192.0.2.1'],
    ['is read without the port that some proxies append', '127.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
    ['is read without brackets and port', '127.0.0.1', '[2001:DB8::1]:443', '2001:db8::1'],
    ['does not accept octal numbers', '127.0.0.1', '010.0.0.1', '127.0.0.1'],
    ['does not accept shortened IPv4', '127.0.0.1', '127.1', '127.0.0.1'],
    ['of a link-local peer has no zone', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['of a connection that is gone is the unspecified one', undefined, '192.0.2.1', '0.0.0.0'],
  ])('the address of a client %s', (_, peer, forwardedFor, client) => {
    expect(clientAddress(peer, forwardedFor, trustedNetworks)).toBe(client);
  });

  it('the address of a client ignores entries left of the first unlisted hop', () => {
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), (noise, hop) => {
        fc.pre(!hop.startsWith('173.245.') && hop !== '198.51.100.7');
        expect(clientAddress('127.0.0.1', `${noise},${hop}`, trustedNetworks)).toBe(
          clientAddress('127.0.0.1', hop, trustedNetworks),
        );
      }),
    );
  });

  it('the address of a client is always an address', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('127.0.0.1', '198.51.100.7', '8.8.8.8', '::1'), (header, peer) => {
        expect(canonicalAddress(clientAddress(peer, header, trustedNetworks))).toBeDefined();
      }),
    );
  });
});

describe('the networks of trusted proxies', () => {
  it.each([
    '10.0.0.0/33',
    'true',
    '*',
    '10.0.0',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '2001:db8::/129',
    'localhost',
    '::ffff:10.0.0.0/90',
    'fe80::1%eth0',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0.0.0.0/96',
  ])('the networks of trusted proxies refuse %s', (entry) => {
    expect(() => parseNetworks(`192.0.2.1,${entry}`)).toThrow(NotANetwork);
    expect(() => parseNetworks(entry)).toThrow(entry);
  });
  it('the networks of trusted proxies match mapped networks as IPv4', () => {
    expect(clientAddress('203.0.113.5', '192.0.2.1', parseNetworks('::ffff:203.0.113.0/120'))).toBe('192.0.2.1');
    expect(clientAddress('203.0.114.5', '192.0.2.1', parseNetworks('::ffff:203.0.113.0/120'))).toBe('203.0.114.5');
  });
});

describe('clients of a rate limit', () => {
  it('a rate limit counts one /64 of IPv6 as one client', () => {
    const keys = new Set(Array.from({ length: 1_000 }, (_, index) => limitKey(`2001:db8:0:1::${index.toString(16)}`)));
    expect([...keys]).toEqual(['2001:db8:0:1::/64']);
    expect(limitKey('2001:db8:0:2::1')).not.toBe('2001:db8:0:1::/64');
  });
  it('a rate limit counts every single IPv4 address, mapped ones too', () => {
    const keys = new Set(Array.from({ length: 50 }, (_, index) => limitKey(`::ffff:192.0.2.${index}`)));
    expect(keys.size).toBe(50);
    expect(limitKey('::ffff:192.0.2.1')).toBe('192.0.2.1');
  });

  it('a rate limit trusts a header of the own network only where a reverse proxy may be', () => {
    for (const peer of ['10.0.0.5', '192.168.1.9', '172.16.0.1', 'fd00::1', 'fe80::1']) {
      expect(clientAddress(peer, '203.0.113.9', [], 'own_network')).toBe('203.0.113.9');
      expect(clientAddress(peer, '203.0.113.9', [], 'this_machine')).toBe(peer);
    }
    expect(clientAddress('127.0.0.1', '203.0.113.9', [], 'this_machine')).toBe('203.0.113.9');
    expect(clientAddress('10.0.0.5', '203.0.113.9', parseNetworks('10.0.0.0/8'), 'this_machine')).toBe('203.0.113.9');
  });
});
