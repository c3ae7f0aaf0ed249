/**
 * The address of the client: the peer, or X-Forwarded-For walked from the right past the trusted proxies.
 *
 * A peer on a private or loopback address is the reverse proxy of this installation; a public peer must be listed, or
 * its statements about others count for nothing. Every proxy appends the address it saw, so only the right end of the
 * list was written by a trusted one: the walk stops at the first address that is not listed, and at the first entry
 * that is no address. All other headers that claim an address (Forwarded, X-Real-IP, …) are ignored.
 */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [address: Address, bits: number];

/** The entry that is neither an address nor a network. */
export class NotANetwork extends Error {
  override readonly name = 'NotANetwork';
}

/**
 * Addresses and CIDRs, comma-separated. Networks of IPv4-mapped addresses become networks of IPv4. @throws NotANetwork
 * naming the entry
 */
export function parseNetworks(list: string): Network[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseNetwork);
}

export function parseNetwork(entry: string): Network {
  const [text = '', bits, ...rest] = entry.split('/');
  const address = parseAddress(text);
  const mappedBits = address?.kind() === 'ipv4' && text.includes(':') ? 96 : 0;
  const length = bits === undefined ? undefined : /^(0|[1-9][0-9]{0,2})$/.test(bits) ? Number(bits) - mappedBits : -1;
  const maxLength = address?.kind() === 'ipv4' ? 32 : 128;
  if (address === undefined || rest.length > 0 || (length !== undefined && (length < 0 || length > maxLength)))
    throw new NotANetwork(`${entry} is neither an address nor a CIDR`);
  if (length === 0) throw new NotANetwork(`${entry} is every address there is, not a proxy`);
  return [address, length ?? maxLength];
}

/**
 * Canonical text of an address, IPv4-mapped IPv6 unmapped; undefined if it is none. Zones, ports and the octal or
 * shortened forms of IPv4 are no address.
 */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.toString();
}

function parseAddress(text: string): Address | undefined {
  if (text.length > 45) return undefined;
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
  if (!/^[0-9a-fA-F.:]+$/.test(text) || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** One hop of X-Forwarded-For. Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function parseHop(text: string): Address | undefined {
  const withPort = /^\[([^\]]+)\](?::[0-9]{1,5})?$/.exec(text) ?? /^([0-9.]+):[0-9]{1,5}$/.exec(text);
  return parseAddress(withPort?.[1] ?? text);
}

/** The possible places of an unlisted reverse proxy: anywhere in the own network, or on this machine only. */
export type ReverseProxy = 'own_network' | 'this_machine';

const ranges: Readonly<Record<ReverseProxy, ReadonlySet<string>>> = {
  own_network: new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal']),
  this_machine: new Set(['loopback']),
};

function isListed(address: Address, trustedNetworks: readonly Network[]): boolean {
  return trustedNetworks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network as ipaddr.IPv4 & ipaddr.IPv6, bits),
  );
}

/**
 * @param peer the address at the other end of the connection; @param forwardedFor all lines of X-Forwarded-For, joined
 * by commas in their order
 * @returns canonical text; `0.0.0.0` if the connection is already gone
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trustedNetworks: readonly Network[],
  reverseProxy: ReverseProxy = 'own_network',
): string {
  // A socket names the zone of a link-local peer: fe80::1%eth0.
  let client = parseAddress((peer ?? '').split('%')[0]!);
  if (client === undefined) return '0.0.0.0';
  if (forwardedFor === undefined || !(ranges[reverseProxy].has(client.range()) || isListed(client, trustedNetworks)))
    return client.toString();
  const hops = forwardedFor.split(',');
  for (let index = hops.length - 1; index >= 0; index--) {
    const hop = parseHop(hops[index]!.trim());
    if (hop === undefined) break;
    client = hop;
    if (!isListed(hop, trustedNetworks)) break;
  }
  return client.toString();
}

const maxPeers = 1_000;

export function createClientAddress(
  trustedNetworks: readonly Network[],
  reverseProxy: ReverseProxy = 'own_network',
): (message: IncomingMessage) => string {
  // Connections are few compared to requests, so the name of a peer is computed once.
  const addressByPeer = new Map<string, string>();
  return (message) => {
    const peer = message.socket.remoteAddress;
    if (message.headers['x-forwarded-for'] === undefined && peer !== undefined) {
      let address = addressByPeer.get(peer);
      if (address === undefined) {
        if (addressByPeer.size >= maxPeers) addressByPeer.clear();
        address = clientAddress(peer, undefined, trustedNetworks, reverseProxy);
        addressByPeer.set(peer, address);
      }
      return address;
    }
    // Node joins the lines of X-Forwarded-For with commas, in their order.
    const forwardedFor = message.headers['x-forwarded-for'];
    return clientAddress(
      peer,
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
      trustedNetworks,
      reverseProxy,
    );
  };
}

/**
 * The unit of a limit per client: an IPv4 address, or the /64 of an IPv6 address, since one subscriber has at least
 * that. IPv4-mapped addresses are IPv4.
 */
export function limitKey(address: string): string {
  if (!address.includes(':')) return address;
  const parsedAddress = parseAddress(address);
  if (parsedAddress === undefined || parsedAddress.kind() === 'ipv4') return parsedAddress?.toString() ?? address;
  return `${(parsedAddress as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
