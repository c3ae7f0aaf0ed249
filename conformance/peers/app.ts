/** A linking app: PKCE, the token endpoint, revocation. Knows RFC 6749, 7636, 7009 and 9207, not the product. */
import { createHash, randomBytes } from 'node:crypto';
import type { Fixtures, Session } from '../kit/adapter.js';
import type { Answer, Client, RequestContent } from '../kit/client.js';
import { Breach } from '../kit/outcome.js';

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
  readonly #people: Pick<Fixtures, 'authorize' | 'decideConsent'>;

  /** @param people how they are asked for consent */
  constructor(client: Client, registered: Registered, people: Pick<Fixtures, 'authorize' | 'decideConsent'>) {
    this.#client = client;
    this.registered = registered;
    this.#people = people;
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

  /** Sends the person to the authorization endpoint. */
  authorize(session: Session, verifier: string, more: Readonly<Record<string, string | undefined>> = {}) {
    return this.#people.authorize(session, this.authorizePath(verifier, more));
  }

  /** @returns what identifies the question. @throws Breach the person is not asked */
  async ask(session: Session, verifier: string, more: Readonly<Record<string, string | undefined>> = {}) {
    const { answer, question } = await this.authorize(session, verifier, more);
    if (answer.status !== 303 || question === undefined)
      throw new Breach(`authorize answered ${answer.status} ${answer.header('location') ?? answer.brief()}`);
    return question;
  }

  /** The person consents. @returns the parameters of the redirect */
  async consent(
    session: Session,
    verifier: string,
    scopes: readonly string[],
    more: Readonly<Record<string, string | undefined>> = {},
  ): Promise<URL> {
    const question = await this.ask(session, verifier, { scope: scopes.join(' '), ...more });
    return new URL(await this.#people.decideConsent(session, question, scopes));
  }

  token(form: Readonly<Record<string, string>> | string, request: RequestContent = {}): Promise<Answer> {
    return this.#client.call('POST', '/oauth/token', {
      form,
      ...request,
      headers: { ...this.basic(), ...request.headers },
    });
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
  async link(session: Session, scopes: readonly string[]): Promise<Tokens> {
    const verifier = this.newVerifier();
    const code = (await this.consent(session, verifier, scopes)).searchParams.get('code') ?? '';
    const answer = (await this.exchange(code, verifier)).is(200);
    return {
      access: answer.string('access_token'),
      refresh: answer.string('refresh_token'),
      scope: answer.string('scope'),
    };
  }
}
