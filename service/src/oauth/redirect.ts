/** Redirect addresses: which may be registered, and how an outcome is attached to one. */
import { isHostName } from '@clockproof/platform/http/host-name';

/**
 * What the answer puts into the query (RFC 6749 §4.1.2, RFC 9207 §2): an address that brings one of its own would say
 * two things at once.
 */
const answered = ['code', 'state', 'error', 'error_description', 'iss'];
const thisComputer = ['localhost', '127.0.0.1', '[::1]'];
const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
/**
 * A domain read backwards, as RFC 8252 §7.1 wants it for the scheme of an app, then a path or a host:
 * `com.example.app:/callback`, `com.example.app://callback`.
 */
const appAddress = new RegExp(`^[a-z][a-z0-9-]*[a-z0-9](?:\\.${label})+:/(?:/?[^/].*)?$`);

/**
 * `https`, `http` on this computer by one of its three names, or an app scheme (RFC 8252 §7.1); no fragment (RFC 6749
 * §3.1.2), no user name, no `*`, which somebody might
 * take for a wildcard, no parameter that the answer adds. Nothing that one browser reads in another way than the next:
 * the text is what the URL parser would write, but
 * that the `/` of an empty path may be left out.
 */
export function isRedirectAllowed(text: string): boolean {
  if (!/^[\x21-\x7e]{3,2000}$/.test(text) || /[#\\<>"`{}|^*]/.test(text)) return false;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  if (url.username !== '' || url.password !== '' || (url.href !== text && url.href !== `${text}/`)) return false;
  if ([...url.searchParams.keys()].some((name) => answered.includes(name))) return false;
  switch (url.protocol) {
    case 'https:':
      return isHostName(url.hostname);
    case 'http:':
      return thisComputer.includes(url.hostname);
    default:
      return appAddress.test(text);
  }
}

/** The address with parameters added to its query; those without a value are left out. */
export function withParameters(
  address: string,
  parameters: Readonly<Record<string, string | null | undefined>>,
): string {
  const query = Object.entries(parameters)
    .flatMap(([name, value]) => (value === null || value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
  return `${address}${address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?'}${query}`;
}

/** Where the browser goes, as a person reads it: a host, or the scheme of an app. */
export function destinationOf(address: string): string {
  const url = new URL(address);
  return url.hostname !== '' && /^https?:$/.test(url.protocol) ? url.hostname : url.protocol.slice(0, -1);
}
