/** Redirect addresses: which may be registered, and how an outcome is attached to one. */

/**
 * `https`, `http` on this computer, or an app scheme with a dot (RFC 8252 §7.1); no fragment (RFC 6749 §3.1.2), no user name, nothing that one browser reads in
 * another way than the next: the text is what the URL parser would write.
 */
export function isRedirectAllowed(text: string): boolean {
  if (!/^[\x21-\x7e]{3,2000}$/.test(text) || /[#\\<>"`{}|^]/.test(text)) return false;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  if (url.username !== '' || url.password !== '') return false;
  switch (url.protocol) {
    case 'https:': return text.startsWith('https://') && url.hostname !== '';
    case 'http:': return text.startsWith('http://') && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
    default: return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:/.test(text);
  }
}

/** The address with parameters added to its query; those without a value are left out. */
export function withParameters(address: string, parameters: Readonly<Record<string, string | null | undefined>>): string {
  const query = Object.entries(parameters).flatMap(([name, value]) => (value === null || value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`])).join('&');
  return `${address}${address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?'}${query}`;
}

/** Where the browser goes, as a person reads it: a host, or the scheme of an app. */
export function destinationOf(address: string): string {
  const url = new URL(address);
  return url.hostname !== '' && /^https?:$/.test(url.protocol) ? url.hostname : url.protocol.slice(0, -1);
}
