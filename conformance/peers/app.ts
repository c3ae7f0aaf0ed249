/** A linking app: PKCE, the token endpoint, revocation. Knows RFC 6749, 7636, 7009 and 9207, not the product. */
import { createHash, randomBytes } from 'node:crypto';
import type { Answer, Client, Sent } from '../kit/client.js';
import { Breach } from '../kit/outcome.js';
import type { Browser } from './browser.js';

export interface Registered {
  readonly id: string;
  readonly clientId: string;
  readonly key: string;
  readonly redirectUri: string;
}
export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly scope: string;
}

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

export class LinkingApp {
  readonly registered: Registered;
  readonly #client: Client;

  constructor(client: Client, registered: Registered) {
    this.#client = client;
    this.registered = registered;
  }

  newVerifier(): string {
    return randomBytes(32).toString('base64url');
  }

  authorizePath(verifier: string, more: Readonly<Record<string, string | undefined>> = {}): string {
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: this.registered.clientId,
      redirect_uri: this.registered.redirectUri,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      state: 'a state of the app',
      ...more,
    };
    const query = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    return `/oauth/authorize?${query.join('&')}`;
  }

  /** Sends the browser to the consent page. @returns the id of the question, and what it shows */
  async ask(browser: Browser, verifier: string, more: Readonly<Record<string, string | undefined>> = {}) {
    const answer = await browser.call('GET', this.authorizePath(verifier, more), {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    const id = /(cns_[A-Za-z0-9]+)/.exec(answer.header('location') ?? '')?.[1];
    if (answer.status !== 303 || id === undefined)
      throw new Breach(`authorize answered ${answer.status} ${answer.header('location') ?? answer.brief()}`);
    return { id, shown: (await browser.get(`/app/consent/${id}`)).is(200) };
  }

  /** The person consents. @returns the parameters of the redirect */
  async consent(
    browser: Browser,
    verifier: string,
    scopes: readonly string[],
    more: Readonly<Record<string, string | undefined>> = {},
  ): Promise<URL> {
    const { id } = await this.ask(browser, verifier, { scope: scopes.join(' '), ...more });
    return new URL(
      (await browser.post(`/app/consent/${id}`, { decision: 'allow', scopes })).is(200).string('redirect_to'),
    );
  }

  token(form: Readonly<Record<string, string>> | string, sent: Sent = {}): Promise<Answer> {
    return this.#client.call('POST', '/oauth/token', { form, ...sent, headers: { ...this.basic(), ...sent.headers } });
  }

  exchange(code: string, verifier: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.registered.redirectUri,
      code_verifier: verifier,
      ...more,
    });
  }

  refresh(token: string): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: token });
  }

  revoke(token: string): Promise<Answer> {
    return this.#client.call('POST', '/oauth/revoke', { form: { token }, headers: this.basic() });
  }

  basic(): Record<string, string> {
    const { clientId, key } = this.registered;
    return { authorization: `Basic ${Buffer.from(`${clientId}:${key}`).toString('base64')}` };
  }

  /** The whole way, from the question to tokens. */
  async link(browser: Browser, scopes: readonly string[]): Promise<Tokens> {
    const verifier = this.newVerifier();
    const code = (await this.consent(browser, verifier, scopes)).searchParams.get('code') ?? '';
    const answer = (await this.exchange(code, verifier)).is(200);
    return {
      access: answer.string('access_token'),
      refresh: answer.string('refresh_token'),
      scope: answer.string('scope'),
    };
  }
}
