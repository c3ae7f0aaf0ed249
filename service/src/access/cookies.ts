/**
 * The cookies of the web application: the session, and the mark that ties a request for consent to the browser it came
 * from.
 */
import { parseCookie } from 'cookie';
import { answerMilliseconds } from './company-sign-in/sign-in.js';
import { sessionMilliseconds } from './sessions.js';

export interface Cookies {
  /** The session token the browser sent. */
  session(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  setSession(token: string): string;
  clearSession(): string;
  /** The mark of this browser for requests for consent. */
  browser(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  setBrowser(mark: string): string;
  /** The mark of this browser for a sign-in through a company. */
  companySignIn(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  setCompanySignIn(mark: string): string;
}

/**
 * Over https the names begin with `__Host-`: no other host, path or plain connection can then set them (RFC 6265bis
 * §4.1.3.2).
 * @param baseUrl BASE_URL
 */
export function createCookies(baseUrl: string): Cookies {
  const secure = baseUrl.startsWith('https:');
  const prefix = secure ? '__Host-' : '';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const setCookie = (name: string, value: string, seconds: number) =>
    `${prefix}${name}=${value}; ${attributes}; Max-Age=${seconds}`;
  const readCookie = (name: string) => (headers: Readonly<Record<string, string | undefined>>) =>
    parseCookie(headers['cookie'] ?? '')[prefix + name];
  return {
    session: readCookie('session'),
    setSession: (token) => setCookie('session', token, sessionMilliseconds / 1_000),
    clearSession: () => setCookie('session', '', 0),
    browser: readCookie('browser'),
    setBrowser: (mark) => setCookie('browser', mark, 600),
    companySignIn: readCookie('company_sign_in'),
    setCompanySignIn: (mark) => setCookie('company_sign_in', mark, answerMilliseconds / 1_000),
  };
}
