/**
 * Allowed targets of webhooks: addresses that anyone on the Internet can reach, never the service's own network.
 * Checked when an address is saved and again at every connection, for the address actually used: DNS records change,
 * and a server may answer two queries differently.
 *
 * The table contains both IANA special-purpose address registries (RFC 6890) and multicast completely, including
 * globally reachable entries (AS112, AMT, 6to4, NAT64), because no extension runs there. In IPv6, only 2000::/3 is
 * delegated for global unicast, so everything else is refused without a list.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { isHostName } from '@clockproof/platform/http/host-name';

/** `public` is allowed; `private` only if the operator allows it; `special` never. */
export type AddressKind = 'public' | 'private' | 'special';

/** Targets that WEBHOOK_ALLOW_PRIVATE_TARGETS allows: loopback, private, link-local and unique local addresses. */
const privateIPv4 = listOf('ipv4', ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']);
const privateIPv6 = listOf('ipv6', ['::1/128', 'fc00::/7', 'fe80::/10']);

/** https://www.iana.org/assignments/iana-ipv4-special-registry and multicast (RFC 5771). */
const specialIPv4 = listOf('ipv4', [
  '0.0.0.0/8',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

const globalUnicast = listOf('ipv6', ['2000::/3']);
/**
 * https://www.iana.org/assignments/iana-ipv6-special-registry inside 2000::/3: protocol assignments with Teredo,
 * documentation, 6to4, AS112, documentation.
 */
const specialIPv6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

/**
 * @param address an IPv4 or IPv6 address as text, as resolvers and sockets write it; anything else, including zones, is
 * `special`, and so are IPv4 addresses embedded in IPv6 ones
 */
export function kindOfAddress(address: string): AddressKind {
  if (isIPv4(address))
    return privateIPv4.check(address, 'ipv4') ? 'private' : specialIPv4.check(address, 'ipv4') ? 'special' : 'public';
  if (!isIPv6(address) || address.includes('%')) return 'special';
  if (privateIPv6.check(address, 'ipv6')) return 'private';
  return globalUnicast.check(address, 'ipv6') && !specialIPv6.check(address, 'ipv6') ? 'public' : 'special';
}

/**
 * Whether a connection to this address is allowed. Private ones by http as well, all others only by https.
 * @param protocol `https:` or `http:` @param allowPrivate WEBHOOK_ALLOW_PRIVATE_TARGETS
 */
export function mayDial(protocol: string, address: string, allowPrivate: boolean): boolean {
  const kind = kindOfAddress(address);
  return (
    (kind === 'public' && protocol === 'https:') ||
    (kind === 'private' && allowPrivate && (protocol === 'https:' || protocol === 'http:'))
  );
}

/**
 * Validates a webhook's address, and its target as far as possible without DNS. It must be in a form that every parser
 * reads alike: visible ASCII (other names as punycode), no backslash, user name or fragment.
 * @returns its WHATWG URL, undefined if it is refused
 */
export function parseTarget(text: string, allowPrivate: boolean): URL | undefined {
  if (!/^https?:\/\/[^/?#@\\]+(?:[/?][^\\#]*)?$/i.test(text) || !/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text))
    return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return undefined;
  if (!isHostName(url.hostname) || url.port === '0') return undefined;
  if (!allowPrivate && isInsideName(url.hostname)) return undefined;
  const literal = literalAddress(url);
  return literal === undefined || mayDial(url.protocol, literal, allowPrivate) ? url : undefined;
}

/** Never delegated in the public DNS: RFC 6761, 6762 with appendix G, 7686, 8375, and `internal` by ICANN. */
const insideNames = /^[^.]+$|\.(?:localhost|local|internal|intranet|private|corp|home|lan|onion|home\.arpa)$/;

/** A name that only resolvers of a network of its own know: it could lead nowhere but inside. */
function isInsideName(hostname: string): boolean {
  if (hostname.startsWith('[') || isIPv4(hostname)) return false;
  return insideNames.test(hostname.replace(/\.$/, ''));
}

/**
 * The literal address in a URL; undefined for names. WHATWG URLs normalise every spelling of IPv4 (octal, hexadecimal,
 * one number) to four decimal parts.
 */
function literalAddress({ hostname }: URL): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  if (isIPv4(hostname)) return hostname;
  // RFC 6761 §6.3: always loopback, without asking DNS.
  return /(^|\.)localhost\.?$/.test(hostname) ? '127.0.0.1' : undefined;
}

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string];
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
