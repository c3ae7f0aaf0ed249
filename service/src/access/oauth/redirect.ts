/** Redirect addresses: the rules for registering one, and appending an outcome to it. */
import { isHostName } from '@clockproof/platform/http/host-name';

/**
 * Parameters that the response adds to the query (RFC 6749 §4.1.2, RFC 9207 §2): an address with its own would be
 * ambiguous.
 */
const answerParameters = ['code', 'state', 'error', 'error_description', 'iss'];
const thisComputer = ['localhost', '127.0.0.1', '[::1]'];
const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
/**
 * A reversed domain name, as RFC 8252 §7.1 requires for app schemes, then a path or a host:
 * `com.example.app:/callback`, `com.example.app://callback`.
 */
const appAddress = new RegExp(`^[a-z][a-z0-9-]*[a-z0-9](?:\\.${label})+:/(?:/?[^/].*)?$`);

/**
 * `https`, `http` on this computer by one of its three names, or an app scheme (RFC 8252 §7.1); no fragment (RFC 6749
 * §3.1.2), no user name, no `*`, which could be mistaken for a wildcard, no parameter that the response adds. To
 * exclude differences between browsers, the text must be in the normalised form of the URL parser, except that the `/`
 * of an empty path may be omitted.
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
  if ([...url.searchParams.keys()].some((name) => answerParameters.includes(name))) return false;
  switch (url.protocol) {
    case 'https:':
      return isHostName(url.hostname);
    case 'http:':
      return thisComputer.includes(url.hostname);
    default:
      return appAddress.test(text);
  }
}

/** The address with parameters added to its query; those without a value are omitted. */
export function withParameters(
  address: string,
  parameters: Readonly<Record<string, string | null | undefined>>,
): string {
  const query = Object.entries(parameters)
    .flatMap(([name, value]) => (value === null || value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
  return `${address}${address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?'}${query}`;
}

/** The redirect target for display: a host, or the scheme of an app. */
export function destinationOf(address: string): string {
  const url = new URL(address);
  return url.hostname !== '' && /^https?:$/.test(url.protocol) ? url.hostname : url.protocol.slice(0, -1);
}
