import { isIPv4 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { kindOfAddress, mayDial, parseTarget } from './targets.js';

/** Both IANA special-purpose address registries, row by row, the multicast ranges and the site-local one. */
const registry = [
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.88.99.2/32',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '224.0.0.0/4',
  '::1/128',
  '::/128',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
  'fec0::/10',
];

/** Addresses that carry another one inside, or that a parser reads differently from what a person reads. */
const disguisedAddresses = [
  '::7f00:1',
  '::a9fe:a9fe',
  '::c0a8:101',
  '::a00:1',
  '::ffff:7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::808:808',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '2002:808:808::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:0:7f00:1::',
  'fe80::1%eth0',
  '2606:4700::1111%1',
  'fe80::5efe:127.0.0.1',
  'fec0::1',
  'ff02::1',
  '0.0.0.0',
  '0.0.0.1',
  '169.254.169.254',
  '100.100.100.200',
  'fd00:ec2::254',
  '127.1',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '2130706433',
  'localhost',
  '',
  '::',
  '4000::1',
  '1::1',
];

const neighbours = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.1.255',
  '192.0.3.0',
  '192.31.195.255',
  '192.31.197.0',
  '192.52.192.255',
  '192.52.194.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '192.175.47.255',
  '192.175.49.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '8.8.8.8',
  '1.1.1.1',
  '2000::1',
  '2001:200::',
  '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db9::',
  '2001:ffff::1',
  '2003::',
  '2606:4700::1111',
  '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
  '2620:4f:8001::',
  '2a00:1450::1',
  '3ffe:ffff::1',
  '3fff:1000::',
];

const bitsOf = (address: string): bigint => {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const parts = (side: string) => side.split(':').filter((part) => part !== '');
  const [leadingParts, trailingParts] = [parts(head), parts(tail ?? '')];
  return [
    ...leadingParts,
    ...Array<string>(8 - leadingParts.length - trailingParts.length).fill('0'),
    ...trailingParts,
  ].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
};
const textOf = (bits: bigint, four: boolean): string =>
  four
    ? [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join('.')
    : Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 65_535n).toString(16)).join(':');
const ends = (network: string): [first: string, middle: string, last: string] => {
  const [address, length] = network.split('/') as [string, string];
  const four = isIPv4(address);
  const size = 1n << BigInt((four ? 32 : 128) - Number(length));
  const first = bitsOf(address);
  return [textOf(first, four), textOf(first + size / 2n, four), textOf(first + size - 1n, four)];
};

describe('a dialled address', () => {
  it.each(registry)('every address of %s is refused, from the first to the last', (network) => {
    expect(ends(network).map((address) => [address, mayDial('https:', address, false)])).toEqual(
      ends(network).map((address) => [address, false]),
    );
  });

  it.each(disguisedAddresses)('a disguised address is judged by its content: %s', (address) => {
    expect(mayDial('https:', address, false)).toBe(false);
  });

  it.each(neighbours)('an address beside a special range may be dialled: %s', (address) => {
    expect(kindOfAddress(address)).toBe('public');
  });

  it('the address rules judge at least 86 refused and 23 allowed cases', () => {
    expect(new Set([...registry, ...disguisedAddresses]).size).toBeGreaterThanOrEqual(86);
    expect(new Set(neighbours).size).toBeGreaterThanOrEqual(23);
  });

  it('an address is never public by http, and private only where private ones are allowed', () => {
    for (const address of neighbours)
      expect([
        mayDial('https:', address, false),
        mayDial('https:', address, true),
        mayDial('http:', address, true),
        mayDial('http:', address, false),
      ]).toEqual([true, true, false, false]);
    const privateNetworks = [
      '10.0.0.0/8',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '::1/128',
      'fc00::/7',
      'fe80::/10',
    ];
    for (const address of privateNetworks.flatMap(ends))
      expect([
        mayDial('https:', address, true),
        mayDial('http:', address, true),
        mayDial('http:', address, false),
        mayDial('ftp:', address, true),
      ]).toEqual([true, true, false, false]);
    for (const address of registry.filter((network) => !privateNetworks.includes(network)).flatMap(ends))
      expect([address, mayDial('https:', address, true)]).toEqual([address, false]);
    for (const address of disguisedAddresses.filter(
      (address) => !['169.254.169.254', 'fd00:ec2::254', 'fe80::5efe:127.0.0.1'].includes(address),
    ))
      expect([address, mayDial('https:', address, true)]).toEqual([address, false]);
  });
});

const oddForms = [
  // IPv4 as URLs may spell it.
  'https://127.0.0.1/',
  'https://127.1/',
  'https://127.0.1/',
  'https://2130706433/',
  'https://0177.1/',
  'https://0177.0.0.1/',
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://0x7f.0x0.0x0.0x1/',
  'https://%31%32%37.0.0.1/',
  'https://①②⑦.⓪.⓪.①/',
  'https://127。0。0。1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://3232235777/',
  'https://0xa9fea9fe/',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1:8443/',
  'https://00000177.0.0.1/',
  'https://192.168.257/',
  'https://172.16.1/',
  'https://100.64.0.1/',
  'https://255.255.255.255/',
  'https://224.0.0.1/',
  'https://198.18.0.1/',
  // IPv6, IPv4 inside of it.
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[0000:0000:0000:0000:0000:ffff:7f00:0001]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b:1::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'https://[fe80::1]/',
  'https://[fe80::1%25eth0]/',
  'https://[fc00::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://[::1',
  'https://::1/',
  // Names that are loopback by definition.
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://localhost:8443/',
  'https://hooks.localhost/',
  'https://a.b.localhost./',
  'https://%6cocalhost/',
  'https://ｌocalhost/',
  // User names and what looks like them.
  'https://user@app.example/',
  'https://user:secret@app.example/',
  'https://@app.example/',
  'https://:@app.example/',
  'https://app.example@127.0.0.1/',
  'https://127.0.0.1@app.example/',
  'https://app.example%40evil.example@x.example/',
  // Backslashes, blanks, control bytes.
  'https:\\\\app.example\\',
  'https://app.example\\@127.0.0.1/',
  'https://app.example/\\evil',
  'https://app.example\\.evil.example/',
  ' https://app.example/',
  'https://app.example/ ',
  'https://app.example/a b',
  'https://app .example/',
  'https://app.example/\t',
  'https://app\t.example/',
  'https://app.example/\r\nx: y',
  'https://app.example\n',
  'ht\ntps://app.example/',
  'https://app.example/\0',
  'https://app.example/\u0001',
  'https://app.example/\u007f',
  'https://app.example/\u00a0',
  'https://app.example/\u200b',
  'https://app.example/ä',
  'https://müller.example/',
  // Other schemes, and forms of https that only some parsers take.
  'http://app.example/',
  'http://1.1.1.1/',
  'ftp://app.example/',
  'file:///etc/passwd',
  'gopher://app.example/',
  'ws://app.example/',
  'wss://app.example/',
  'data:text/plain,x',
  'javascript:alert(1)',
  'unix:///run/docker.sock',
  'https:app.example',
  'https:/app.example',
  'https:///app.example',
  'https:////app.example',
  '//app.example/',
  'app.example',
  '/hooks',
  '',
  'https://',
  'https:///',
  'https://?',
  'https://#',
  'https://:443/',
  'https://app.example:0x50/',
  'https://app.example:65536/',
  'https://app.example:-1/',
  'https://1.2.3.4.5/',
  'https://256.256.256.256/',
  'https://app.example/#part',
  'https://app.example#',
  'https://app..%00.example/',
  'https://a%2fb.example/',
  'https://[v1.fe80::a]/',
  'https://xn--/',
  'https://xn--a-ecp.example/',
  'https://app..example/',
  'https://app!.example/',
  // Names that no public name server knows (RFC 6761, 6762, 7686, 8375, .internal): they could only lead inside.
  'https://intranet/',
  'https://mylocalhost/',
  'https://ip6-localhost/',
  'https://intranet./',
  'https://printer.local/',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://metadata.google.INTERNAL./',
  'https://nas.home.arpa/',
  'https://wiki.corp/',
  'https://fritz.lan/',
  'https://facebookcorewwwi.onion/',
  // Nothing can listen there.
  'https://app.example:0/',
];

const goodForms = [
  'https://app.example/',
  'https://app.example',
  'https://app.example:8443/hooks/clockproof?token=a%20b&x=@y',
  'HTTPS://APP.EXAMPLE/Hooks',
  'https://xn--mller-kva.example/',
  'https://1.1.1.1/',
  'https://8.8.8.8:8443/x',
  'https://[2606:4700::1111]/',
  'https://app.example./',
  'https://localhost.example/',
  'https://internal.example/',
  'https://local.app.example/',
  'https://127.0.0.1.app.example/',
  'https://app.example/?',
  'https://app.example/user@host',
  'https://app-1.example/~x/(y)',
];

describe('a saved address', () => {
  it.each(oddForms)('a webhook address is refused when saved: %j', (text) => {
    expect(parseTarget(text, false)).toBeUndefined();
  });

  it('more than a hundred odd forms of a webhook address are refused', () => {
    expect(new Set(oddForms).size).toBeGreaterThanOrEqual(119);
  });

  it.each(goodForms)('a webhook address is accepted when saved: %s', (text) => {
    expect(parseTarget(text, false)?.href).toBe(new URL(text).href);
  });

  it('a webhook address may be private, by http too, only where the operator allows it', () => {
    const privateTargets = [
      'https://127.0.0.1/',
      'http://127.0.0.1:8080/',
      'http://[::1]/',
      'http://10.1.2.3/',
      'http://localhost:3000/',
      'http://intranet.example/',
      'http://[fd00::1]/',
      'http://169.254.1.1/',
      'http://2130706433/',
      'http://hooks.localhost/',
      'http://mylocalhost/',
      'https://intranet/',
      'http://wiki.internal:8080/',
      'https://nas.home.arpa/',
    ];
    for (const text of privateTargets)
      expect([text, parseTarget(text, true)?.href]).toEqual([text, new URL(text).href]);
    const refusedTargets = [
      'http://1.1.1.1/',
      'http://[2606:4700::1111]/',
      'https://0.0.0.0/',
      'http://100.64.0.1/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::127.0.0.1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://user@127.0.0.1/',
      'http://127.0.0.1\\',
      'http://127.0.0.1/#x',
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'unix:///run/x',
      'http:127.0.0.1',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
      'http://127.0.0.1:0/',
      'https://app.example:0/',
    ];
    for (const text of refusedTargets) expect([text, parseTarget(text, true)]).toEqual([text, undefined]);
    for (const text of goodForms) expect(parseTarget(text, true)?.href).toBe(new URL(text).href);
  });
});
