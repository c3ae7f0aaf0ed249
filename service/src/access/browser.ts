import type { Cookies } from './cookies.js';
import type { Browser } from './sessions.js';

/** The origin of a request, as a session keeps it. */
export function browserOf(
  cookies: Cookies,
  headers: Readonly<Record<string, string | undefined>>,
  address: string,
): Browser {
  return { address, device: headers['user-agent'], previousToken: cookies.session(headers) };
}
