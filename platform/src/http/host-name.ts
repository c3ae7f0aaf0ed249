/**
 * The hosts that a stored address may name. URL parsers take more than the DNS can hold, and each version of Node's
 * takes other names (`https://xn--/` is refused by Node 20 and read by Node 24): stored addresses must not depend on
 * it.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

/** Letters, digits and hyphens (RFC 1123 §2.1); the underscore because private networks use it. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * @param hostname as a WHATWG URL holds it: lower case, IPv6 in brackets
 * @returns true for an IP address, and for a name of at most 253 characters whose labels fit the DNS and whose punycode
 *   means something (RFC 5891 §5.4)
 */
export function isHostName(hostname: string): boolean {
  if (hostname.startsWith('[')) return /^\[[0-9a-f:]+\]$/.test(hostname) && isIPv6(hostname.slice(1, -1));
  if (isIPv4(hostname)) return true;
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((part) => label.test(part) && isMeaningful(part));
}

function isMeaningful(part: string): boolean {
  if (!part.startsWith('xn--')) return true;
  const text = domainToUnicode(part);
  return text !== part && domainToASCII(text) === part;
}
