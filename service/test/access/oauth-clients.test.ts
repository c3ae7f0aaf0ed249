/** Linking with the client libraries that many apps use: as their documentation says, and without a line of our own. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Strategy from 'passport-oauth2';
import { AuthorizationCode } from 'simple-oauth2';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import type { Browser } from '../browser.js';
import { addApp, challenge, decide, parametersOf, redirectUri, verifier } from '../linking.js';
import { createWorld, type World } from '../world.js';

const scopes = ['read:clock_states', 'write:clock'];

describe('links of OAuth clients', () => {
  let world: World;
  let app: AddedExtension;
  let ada: Browser;
  beforeAll(async () => {
    world = await createWorld('sqlite');
    app = await addApp(world, 'Feierabend');
    ada = await world.as(world.people.ada);
  });
  afterAll(() => world.close());

  /** Ada's browser follows the app's redirect and she allows everything. @returns the parameters of the way back */
  async function allow(url: string): Promise<Record<string, string>> {
    expect(url.startsWith(`${world.url}/oauth/authorize?`)).toBe(true);
    const answer = await ada.call('GET', url.slice(world.url.length), { headers: { 'sec-fetch-site': 'cross-site' } });
    const request = /request=(cns_[0-9A-Za-z]+)$/.exec(answer.headers.get('location') ?? '')![1]!;
    await ada.call('GET', `/app/consent/${request}`);
    return parametersOf((await decide(ada, request, scopes)).body['redirect_to']);
  }
  const me = async (token: unknown) => (await world.call('GET', '/api/v1/me', { key: String(token) })).status;

  it('simple-oauth2 gets tokens, refreshes and revokes them', async () => {
    const client = new AuthorizationCode({
      client: { id: app.clientId, secret: app.key },
      auth: {
        tokenHost: world.url,
        tokenPath: '/oauth/token',
        revokePath: '/oauth/revoke',
        authorizePath: '/oauth/authorize',
      },
    });
    const parameters = await allow(
      client.authorizeURL({
        redirect_uri: redirectUri,
        scope: scopes,
        state: 'xyz',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }),
    );
    expect(parameters['state']).toBe('xyz');
    const first = await client.getToken({
      code: parameters['code'],
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    expect([first.token['scope'], await me(first.token['access_token'])]).toEqual([scopes.join(' '), 200]);
    const second = await first.refresh();
    expect(second.token['access_token']).not.toBe(first.token['access_token']);
    expect(await me(second.token['access_token'])).toBe(200);
    await second.revokeAll();
    expect(await me(second.token['access_token'])).toBe(401);
    await expect(second.refresh()).rejects.toThrow();
  });

  it('passport-oauth2 links with PKCE and its own state, and refreshes', async () => {
    const strategy = new Strategy(
      {
        authorizationURL: `${world.url}/oauth/authorize`,
        tokenURL: `${world.url}/oauth/token`,
        clientID: app.clientId,
        clientSecret: app.key,
        callbackURL: redirectUri,
        scope: scopes,
        state: true,
        pkce: true,
        skipUserProfile: true,
      },
      ((accessToken: string, refreshToken: string, _profile: object, done: (error: null, user: object) => void) =>
        done(null, { accessToken, refreshToken })) as never,
    );
    const session = {};
    const answerTo = (query: object) =>
      new Promise<string | Record<string, string>>((resolve, reject) => {
        Object.assign(strategy, { redirect: resolve, success: resolve, fail: reject, error: reject });
        strategy.authenticate({ query, session });
      });
    const user = (await answerTo(await allow((await answerTo({})) as string))) as Record<string, string>;
    expect(await me(user['accessToken'])).toBe(200);
    // What passport-oauth2-refresh calls.
    const newAccessToken = await new Promise<string>((resolve, reject) =>
      strategy._oauth2.getOAuthAccessToken(
        user['refreshToken']!,
        { grant_type: 'refresh_token' },
        (error, accessToken) => (error === null ? resolve(accessToken) : reject(error)),
      ),
    );
    expect(newAccessToken).not.toBe(user['accessToken']);
    expect(await me(newAccessToken)).toBe(200);
  });
});
