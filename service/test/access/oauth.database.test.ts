import { dialects } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour, minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { switchPeopleAccess } from '../../src/access/integrations/people-access.js';
import { endExpiredLinks } from '../../src/access/oauth/links.js';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { writeScopes } from '../../src/generated/contract.js';
import type { EventRow } from '../../src/store/event-rows.js';
import { presentEvent } from '../../src/store/events.js';
import {
  type Browser,
  codeOf,
  createBrowser,
  dump,
  factorKeysOf,
  giveCredentials,
  password,
  signIn,
} from '../browser.js';
import {
  addApp,
  ask,
  authorizeQuery,
  basic,
  challenge,
  consent,
  decide,
  exchange,
  link,
  parametersOf,
  post,
  redirectUri,
  renew,
  verifier,
} from '../linking.js';
import { createWorld, dataKey, type World } from '../world.js';

const issuer = 'http://localhost:8080';
const linkScopes = ['read:time_entries', 'read:leave_entries', 'read:clock_states', 'write:clock', 'write:absences'];

/** The same 32 bytes with other bits behind them: 43 base64url digits have room for two more. */
const respell = (digits: string) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return digits.slice(0, -1) + alphabet[alphabet.indexOf(digits.at(-1)!) + 1];
};

describe.each(dialects)('linking on %s', (dialect) => {
  let world: World;
  let app: AddedExtension;
  let otherApp: AddedExtension;
  let ada: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    await giveCredentials(
      world,
      [world.people.ada, world.people.ben, world.people.zoe],
      await factorKeysOf(world, dataKey),
    );
    app = await addApp(world, 'Roster');
    otherApp = await addApp(world, 'Other');
  });
  afterEach(() => world.close());
  const me = (token: string) => world.call('GET', '/api/v1/me', { key: token });
  const signInAda = async () => (ada = await world.as(world.people.ada));
  const linkAda = async (scopes: readonly string[] = linkScopes, linkedApp = app) =>
    link(world, linkedApp, world.people.ada, scopes, await signInAda());
  const lastEvent = async () =>
    presentEvent((await world.db.get<EventRow>('SELECT * FROM events ORDER BY sequence DESC LIMIT 1'))!);

  it('an independent client completes the link with only the issuer', async () => {
    const fetchFromService = (url: string, init: unknown) => fetch(url.replace(issuer, world.url), init as RequestInit);
    const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetchFromService };
    const server = await oauth.processDiscoveryResponse(
      new URL(issuer),
      await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...options }),
    );
    const client: oauth.Client = { client_id: app.clientId };
    const authentication = oauth.ClientSecretBasic(app.key);
    const codeVerifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const authorizeUrl = new URL(server.authorization_endpoint!);
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: app.clientId,
      redirect_uri: redirectUri,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      scope: 'read:clock_states write:clock',
    }))
      authorizeUrl.searchParams.set(name, value);

    const browser = await signInAda();
    const answer = await browser.call('GET', authorizeUrl.href.replace(issuer, ''));
    const id = new URL(answer.headers.get('location')!).searchParams.get('request')!;
    expect((await browser.call('GET', `/app/consent/${id}`)).body).toMatchObject({
      extension: { name: 'Roster' },
      redirect_host: 'app.example',
      lifetime_days: 90,
      second_factor_needed: false,
      scopes: [{ scope: 'read:clock_states' }, { scope: 'write:clock', title: 'Clock in and out' }],
    });
    const { redirect_to: redirectTo } = (await decide(browser, id, ['read:clock_states', 'write:clock'])).body;
    const callback = oauth.validateAuthResponse(server, client, new URL(redirectTo as string), state);
    const firstTokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        callback,
        redirectUri,
        codeVerifier,
        options,
      ),
    );
    expect([firstTokens.token_type, firstTokens.expires_in, firstTokens.scope, firstTokens['link_expires_at']]).toEqual(
      ['bearer', 3600, 'read:clock_states write:clock', formatInstant(world.now() + 90 * day)],
    );
    expect((await me(firstTokens.access_token)).body).toMatchObject({
      first_name: 'Ada',
      link: { extension: { name: 'Roster' }, scopes: ['read:clock_states', 'write:clock'] },
      clock_state: { state: 'out' },
    });
    const secondTokens = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, authentication, firstTokens.refresh_token!, options),
    );
    expect((await me(secondTokens.access_token)).status).toBe(200);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, authentication, secondTokens.refresh_token!, options),
    );
    for (const token of [firstTokens.access_token, secondTokens.access_token])
      expect((await me(token)).body).toMatchObject({ code: 'token_revoked' });
    expect(await lastEvent()).toMatchObject({
      type: 'link.ended',
      data: { user_id: world.people.ada, reason: 'revoked_by_app' },
    });
    await expect(
      oauth
        .refreshTokenGrantRequest(server, client, authentication, secondTokens.refresh_token!, options)
        .then((response) => oauth.processRefreshTokenResponse(server, client, response)),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('linking returns to registered addresses alone, compared byte for byte, and shows a page otherwise', async () => {
    const registeredUris = ['https://app.example/cb', 'https://app.example/cb?tenant=1', 'com.example.app:/callback'];
    const pickyApp = await addApp(world, 'Picky', { redirectUris: registeredUris });
    const variants = [
      'https://app.example/cb/',
      'https://app.example:443/cb',
      'HTTPS://app.example/cb',
      'https://APP.example/cb',
      'https://app.example/cb#',
      'https://app.example/cb#x',
      'https://app.example/cb?',
      'https://app.example/cb?a=1',
      'https://app.example/cb?tenant=1&x=2',
      'https://app.example/cb?tenant=2',
      'https://app.example/CB',
      'https://app.example/%63b',
      'https://app.example/./cb',
      'https://app.example/x/../cb',
      'https://app.example//cb',
      'https://app.example.evil.example/cb',
      'https://app.example@evil.example/cb',
      'https://evil.example/cb',
      'https://evil.example/https://app.example/cb',
      'http://app.example/cb',
      'https://app.example/c',
      'https://app.example/cb1',
      'https://app.example',
      'https://app.example/',
      ' https://app.example/cb',
      'https://app.example/cb ',
      'https://app.example/cb%20',
      'https://app.example\\cb',
      'https:\\\\app.example\\cb',
      'https:app.example/cb',
      '//app.example/cb',
      '/cb',
      'app.example/cb',
      'https://app%2eexample/cb',
      'https://аpp.example/cb',
      'https://app.example:80/cb',
      'https://user@app.example/cb',
      'https://user:pw@app.example/cb',
      'com.example.app:/callback/',
      'com.example.app:callback',
      'com.example.app://callback',
      'COM.example.app:/callback',
      'javascript:alert(1)',
      'data:text/html,x',
      '',
      'https://app.example/cb\n',
      'https://app.example/cb\t',
      'https://app.example/cb,https://app.example/cb',
      '*',
    ];
    expect(variants.length).toBeGreaterThanOrEqual(47);
    for (const uri of variants) {
      const answer = await createBrowser(world.url).call(
        'GET',
        `/oauth/authorize?${authorizeQuery(pickyApp, { redirect_uri: uri })}`,
      );
      expect([uri, answer.status, answer.headers.get('location'), answer.headers.get('content-type')]).toEqual([
        uri,
        400,
        null,
        'text/html; charset=utf-8',
      ]);
    }
    for (const uri of registeredUris) {
      const id = await ask(await signInAda(), pickyApp, { redirect_uri: uri });
      const redirectTo = String((await decide(ada, id, ['write:clock'])).body['redirect_to']);
      expect(redirectTo).toMatch(
        new RegExp(
          `^${uri.replace(/[.?]/g, '\\$&')}[?&]code=cpc_[0-9A-Za-z]{32}&state=xyz&iss=http%3A%2F%2Flocalhost%3A8080$`,
        ),
      );
    }
    const errorPage = await createBrowser(world.url).call(
      'GET',
      `/oauth/authorize?${authorizeQuery({ ...pickyApp, clientId: 'cli_unknown<script>' })}`,
      { headers: { 'accept-language': 'de-DE' } },
    );
    expect([errorPage.status, errorPage.headers.get('location')]).toEqual([400, null]);
    expect(String(errorPage.body['text'])).not.toContain('<script>');
    expect(String(errorPage.body['text'])).toContain('lang="de"');
    expect([
      errorPage.headers.get('content-security-policy'),
      errorPage.headers.get('referrer-policy'),
      errorPage.headers.get('cache-control'),
      errorPage.headers.get('x-frame-options'),
    ]).toEqual([expect.stringContaining("frame-ancestors 'none'"), 'no-referrer', 'no-store', 'DENY']);
    expect(errorPage.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['s256', { code_challenge_method: 's256' }, 'invalid_request'],
    ['42 characters', { code_challenge: challenge.slice(1) }, 'invalid_request'],
    ['padded', { code_challenge: `${challenge}=` }, 'invalid_request'],
    ['another spelling of the same bytes', { code_challenge: respell(challenge) }, 'invalid_request'],
    ['no base64url', { code_challenge: `${challenge.slice(0, -1)}+` }, 'invalid_request'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['token', { response_type: 'token' }, 'unsupported_response_type'],
    ['code token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'write:clock *' }, 'invalid_scope'],
    ['a scope of keys', { scope: 'read:users' }, 'invalid_scope'],
    ['two spaces', { scope: 'write:clock  read:clock_states' }, 'invalid_scope'],
    ['no scope at all', { scope: '' }, 'invalid_scope'],
  ] as const)('linking sends the browser back without a code: %s', async (_, more, error) => {
    const answer = await createBrowser(world.url).call('GET', `/oauth/authorize?${authorizeQuery(app, more)}`);
    expect(answer.status).toBe(303);
    expect(parametersOf(answer.headers.get('location'))).toEqual({
      error,
      error_description: expect.any(String),
      state: 'xyz',
      iss: issuer,
    });
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('linking refuses an app that may not be linked, at both addresses', async () => {
    const unlinkedApp = await addApp(world, 'Unlinked', { linkable: false });
    const answer = await createBrowser(world.url).call('GET', `/oauth/authorize?${authorizeQuery(unlinkedApp)}`);
    expect([answer.status, parametersOf(answer.headers.get('location'))]).toMatchObject([
      303,
      { error: 'unauthorized_client' },
    ]);
    expect(await exchange(world, unlinkedApp, `cpc_${'0'.repeat(32)}`)).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
  });

  it('linking refuses repeated parameters, ignores unknown ones, and returns state unchanged', async () => {
    const send = (query: string) => createBrowser(world.url).call('GET', `/oauth/authorize?${query}`);
    expect(parametersOf((await send(`${authorizeQuery(app)}&state=2`)).headers.get('location'))).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
      iss: issuer,
    });
    expect((await send(`${authorizeQuery(app)}&client_id=${app.clientId}`)).status).toBe(400);
    expect((await send(`${authorizeQuery(app)}&redirect_uri=x`)).status).toBe(400);
    expect((await send(`${authorizeQuery(app)}&utm_source=mail&prompt=login`)).headers.get('location')).toContain(
      '/link?request=',
    );
    expect((await send(`${authorizeQuery(app)}&%ZZ`)).status).toBe(400);
    for (const state of ['a b&c=d/é'.replace('é', ''), '"<>%25+%20', `${'s'.repeat(4_096)}`]) {
      const id = await ask(await signInAda(), app, { state });
      expect(parametersOf((await decide(ada, id, ['write:clock'])).body['redirect_to'])['state']).toBe(state);
    }
    expect(parametersOf((await send(authorizeQuery(app, { state: '\r\nX-Evil: 1' }))).headers.get('location'))).toEqual(
      { error: 'invalid_request', error_description: expect.any(String), iss: issuer },
    );
    for (const state of [undefined, ''])
      expect(parametersOf((await send(authorizeQuery(app, { state }))).headers.get('location'))).toEqual({
        error: 'invalid_request',
        error_description: expect.stringContaining('state'),
        iss: issuer,
      });
  });

  it('a consent asks for no more than the key holds, and grants no more than was ticked', async () => {
    const smallApp = await addApp(world, 'Small', { scopes: ['read:users', 'read:clock_states', 'write:clock'] });
    const id = await ask(await signInAda(), smallApp);
    expect(
      ((await ada.call('GET', `/app/consent/${id}`)).body['scopes'] as { scope: string }[]).map((scope) => scope.scope),
    ).toEqual(['read:clock_states', 'write:clock']);
    expect((await decide(ada, id, ['write:clock', 'write:absences'])).body).toMatchObject({ code: 'invalid_request' });
    const { code } = parametersOf((await decide(ada, id, ['write:clock'])).body['redirect_to']);
    expect((await exchange(world, smallApp, code!)).body).toMatchObject({ scope: 'write:clock' });
    const denial = parametersOf((await decide(ada, await ask(ada, smallApp), [])).body['redirect_to']);
    expect(denial).toEqual({
      error: 'access_denied',
      error_description: 'The person declined.',
      state: 'xyz',
      iss: issuer,
    });
    const answer = await ada.call('POST', `/app/consent/${await ask(ada, smallApp)}`, {
      body: { decision: 'allow', scopes: [] },
    });
    expect(parametersOf(answer.body['redirect_to'])).toMatchObject({ error: 'access_denied' });
  });

  it('a consent request is bound to browser, session and person, and decided once', async () => {
    const id = await ask(await signInAda(), app);
    const [thief, ben] = [createBrowser(world.url), await world.as(world.people.ben)];
    expect((await thief.call('GET', `/app/consent/${id}`)).status).toBe(401);
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', { decision: 'allow', scopes: ['write:clock'] }],
    ] as const) {
      expect((await ben.call(method, `/app/consent/${id}`, { body })).body).toMatchObject({ code: 'not_found' });
      const mixedBrowser = createBrowser(world.url);
      mixedBrowser.cookies.set('session', ben.cookies.get('session')!);
      mixedBrowser.cookies.set('browser', ada.cookies.get('browser')!);
      expect((await mixedBrowser.call(method, `/app/consent/${id}`, { body })).body).toMatchObject({
        code: 'not_found',
      });
      const secondBrowser = await world.as(world.people.ada);
      secondBrowser.cookies.set('browser', ada.cookies.get('browser')!);
      expect((await secondBrowser.call(method, `/app/consent/${id}`, { body })).body).toMatchObject({
        code: 'not_found',
      });
      const otherBrowser = createBrowser(world.url);
      otherBrowser.cookies.set('session', ada.cookies.get('session')!);
      expect((await otherBrowser.call(method, `/app/consent/${id}`, { body })).body).toMatchObject({
        code: 'not_found',
      });
      await ask(otherBrowser, app);
      expect((await otherBrowser.call(method, `/app/consent/${id}`, { body })).body).toMatchObject({
        code: 'not_found',
      });
    }
    const allowWith = (headers: Record<string, string>) =>
      ada.call('POST', `/app/consent/${id}`, { body: { decision: 'allow', scopes: ['write:clock'] }, headers });
    expect((await allowWith({ 'sec-fetch-site': 'cross-site' })).body).toMatchObject({ code: 'origin_refused' });
    expect((await allowWith({ origin: 'https://evil.example' })).body).toMatchObject({ code: 'origin_refused' });
    const answers = await Promise.all([decide(ada, id, ['write:clock']), decide(ada, id, ['write:clock'])]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);

    // Somebody who signs in after the request arrived: the first in this browser gets it, nobody after them.
    const freshBrowser = createBrowser(world.url);
    const earlyRequest = await ask(freshBrowser, app);
    await signIn(world, world.people.ben, freshBrowser);
    expect((await freshBrowser.call('GET', `/app/consent/${earlyRequest}`)).body).toMatchObject({
      person: { id: world.people.ben },
    });
    await signIn(world, world.people.zoe, freshBrowser);
    expect((await freshBrowser.call('GET', `/app/consent/${earlyRequest}`)).body).toMatchObject({ code: 'not_found' });
    const lateRequest = await ask(await signInAda(), app);
    world.advance(10 * minute);
    expect((await decide(ada, lateRequest, ['write:clock'])).body).toMatchObject({ code: 'not_found' });
  });

  it('a consent needs a recent second factor', async () => {
    const browser = createBrowser(world.url);
    const id = await ask(browser, app);
    await browser.call('POST', '/app/sign-in', { body: { email: 'ada@clockproof.example', password } });
    expect((await decide(browser, id, ['write:clock'])).body).toMatchObject({ code: 'unauthorized' });
    world.advance(30 * second);
    await browser.call('POST', '/app/sign-in/second-factor', { body: { code: codeOf(world.people.ada, world.now()) } });
    world.advance(15 * minute);
    const staleRequest = await ask(browser, app);
    expect((await browser.call('GET', `/app/consent/${staleRequest}`)).body).toMatchObject({
      second_factor_needed: true,
    });
    expect((await decide(browser, staleRequest, ['write:clock'])).body).toMatchObject({
      code: 'second_factor_required',
    });
    await browser.call('POST', '/app/second-factor/proof', { body: { code: codeOf(world.people.ada, world.now()) } });
    expect((await decide(browser, staleRequest, ['write:clock'])).status).toBe(200);
  });

  it('a code works once: the second try ends the link, in either order', async () => {
    const code = await consent(await signInAda(), app, linkScopes);
    const firstAnswer = await exchange(world, app, code);
    expect(firstAnswer.headers.get('cache-control')).toBe('no-store');
    const token = firstAnswer.body['access_token'] as string;
    expect((await me(token)).status).toBe(200);
    expect(await exchange(world, app, code)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', code: 'invalid_grant', error_description: expect.any(String) },
    });
    expect((await me(token)).body).toMatchObject({ code: 'token_revoked' });
    expect((await renew(world, app, firstAnswer.body['refresh_token'] as string)).body).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await lastEvent()).toMatchObject({ type: 'link.ended', data: { reason: 'token_reused' } });
  });

  it('a code works within a minute, for its own client, redirect address and verifier', async () => {
    await signInAda();
    const youngCode = await consent(ada, app, linkScopes);
    world.advance(59 * second);
    expect((await exchange(world, app, youngCode)).status).toBe(200);
    const oldCode = await consent(ada, app, linkScopes);
    world.advance(60 * second);
    expect((await exchange(world, app, oldCode)).body).toMatchObject({ error: 'invalid_grant' });
    await signInAda();
    const foreignCode = await consent(ada, app, linkScopes);
    expect((await exchange(world, otherApp, foreignCode)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await exchange(world, app, foreignCode)).status).toBe(200);
    for (const parameters of [
      { code_verifier: verifier.slice(1) },
      { code_verifier: verifier.repeat(3) },
      { code_verifier: verifier.replace('d', 'e') },
      { code_verifier: '' },
      { code_verifier: challenge },
      { redirect_uri: `${redirectUri}/` },
    ]) {
      const code = await consent(ada, app, linkScopes);
      expect([parameters, (await exchange(world, app, code, parameters)).body['error']]).toEqual([
        parameters,
        'invalid_grant',
      ]);
      expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
    }
  });

  it('a refresh token works once: a second use ends the link, and a new consent works', async () => {
    const firstTokens = await linkAda();
    const secondTokens = (await renew(world, app, firstTokens.refresh_token)).body as {
      access_token: string;
      refresh_token: string;
    };
    expect((await me(firstTokens.access_token)).status).toBe(200);
    expect((await me(secondTokens.access_token)).status).toBe(200);
    expect(await renew(world, app, firstTokens.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    for (const token of [firstTokens.access_token, secondTokens.access_token])
      expect((await me(token)).body).toMatchObject({ code: 'token_revoked' });
    expect((await renew(world, app, secondTokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect(
      await world.db.get(
        "SELECT details FROM audit_entries WHERE action = 'link.ended' ORDER BY sequence DESC LIMIT 1",
      ),
    ).toMatchObject({ details: expect.stringContaining('token_reused') });
    expect((await me((await linkAda()).access_token)).status).toBe(200);
  });

  it('another client can neither use nor burn a token', async () => {
    const tokens = await linkAda();
    expect((await renew(world, otherApp, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await post(world, '/oauth/revoke', otherApp, { token: tokens.refresh_token })).status).toBe(200);
    expect((await post(world, '/oauth/revoke', otherApp, { token: tokens.access_token })).status).toBe(200);
    const renewal = await renew(world, app, tokens.refresh_token);
    expect(renewal.status).toBe(200);
    expect((await renew(world, otherApp, tokens.refresh_token)).status).toBe(400);
    expect((await me(renewal.body['access_token'] as string)).status).toBe(200);
  });

  it('an access token is narrowed on request and never widened', async () => {
    const tokens = await linkAda(['read:clock_states', 'write:clock']);
    expect((await renew(world, app, tokens.refresh_token, { scope: 'write:clock write:absences' })).body).toMatchObject(
      { error: 'invalid_scope' },
    );
    const narrowTokens = (await renew(world, app, tokens.refresh_token, { scope: 'read:clock_states' })).body as {
      access_token: string;
      refresh_token: string;
      scope: string;
    };
    expect(narrowTokens.scope).toBe('read:clock_states');
    expect((await world.call('POST', '/api/v1/clock/in', { key: narrowTokens.access_token })).body).toMatchObject({
      code: 'insufficient_scope',
    });
    expect((await renew(world, app, narrowTokens.refresh_token)).body).toMatchObject({
      scope: 'read:clock_states write:clock',
    });
  });

  it('a link has the rights that were granted and that the key still holds, at every request', async () => {
    const shrinkingApp = await addApp(world, 'Shrinking');
    const tokens = await linkAda(['read:clock_states', 'write:clock'], shrinkingApp);
    const state = () => world.call('GET', '/api/v1/clock/states', { key: tokens.access_token });
    expect((await state()).status).toBe(200);
    const hold = (scopes: string[]) =>
      world.db.write((tx) =>
        tx.run('UPDATE extensions SET scopes = :scopes WHERE id = :id', {
          scopes: JSON.stringify(scopes),
          id: shrinkingApp.id,
        }),
      );
    await hold(['write:clock']);
    expect((await state()).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await me(tokens.access_token)).body).toMatchObject({ link: { scopes: ['write:clock'] } });
    await hold([]);
    expect((await renew(world, shrinkingApp, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_scope' });
    await hold(['read:clock_states', 'write:absences']);
    expect((await state()).status).toBe(200);
    expect((await world.call('POST', '/api/v1/clock/in', { key: tokens.access_token })).body).toMatchObject({
      code: 'insufficient_scope',
    });
  });

  it('a link acts for its person alone', async () => {
    const tokens = await link(world, app, world.people.ben, linkScopes);
    const call = (method: string, path: string, body?: unknown) =>
      world.call(method, `/api/v1/${path}`, { key: tokens.access_token, ...(body === undefined ? {} : { body }) });
    for (const person of [world.people.ada, world.people.ben, world.people.zoe])
      expect((await call('POST', 'clock/in', { user_id: person })).body).toMatchObject({
        code: 'invalid_request',
        details: [{ field: 'user_id' }],
      });
    const stamp = await call('POST', 'clock/in', {});
    expect(stamp.body).toMatchObject({
      clock_state: { user_id: world.people.ben, state: 'in', source: { kind: 'personal_link', name: 'Roster' } },
    });
    world.advance(minute);
    expect((await call('POST', 'clock/break/start')).status).toBe(200);
    expect((await call('POST', 'clock/break/end')).status).toBe(200);
    expect((await call('POST', 'clock/out')).status).toBe(200);
    const ids = (answer: { body: Record<string, unknown> }, member = 'user_id') => [
      ...new Set((answer.body['data'] as Record<string, unknown>[]).map((link) => link[member])),
    ];
    expect(ids(await call('GET', 'clock/states'))).toEqual([world.people.ben]);
    expect(ids(await call('GET', 'time/entries?from=2026-11-01&to=2026-12-31'))).toEqual([world.people.ben]);
    expect(ids(await call('GET', 'time/entries?updated_since=1970-01-01'))).toEqual([world.people.ben]);
    expect(ids(await call('GET', 'companies'), 'id')).toEqual([world.nord]);
    for (const path of [
      `clock/states?user_id=${world.people.ada}`,
      `time/entries?from=2026-11-01&to=2026-11-30&user_id=${world.people.ada}`,
      `time/leaves?from=2026-11-01&to=2026-11-30&user_id=${world.people.zoe}`,
    ])
      expect((await call('GET', path)).body).toMatchObject({ code: 'not_found' });
    for (const path of ['users', 'events'])
      expect((await call('GET', path)).body).toMatchObject({ code: 'wrong_credential_kind' });
    const absence = await call('POST', 'absences', {
      type: 'vacation',
      start_date: '2027-02-01',
      end_date: '2027-02-02',
    });
    expect([absence.status, absence.body['user_id'], absence.body['created_by']]).toEqual([
      201,
      world.people.ben,
      { kind: 'personal_link', name: 'Roster' },
    ]);
    expect(
      (
        await call('POST', 'absences', {
          user_id: world.people.ben,
          type: 'vacation',
          start_date: '2027-03-01',
          end_date: '2027-03-02',
        })
      ).status,
    ).toBe(400);
    const adasTokens = await linkAda();
    expect(
      (await world.call('DELETE', `/api/v1/absences/${String(absence.body['id'])}`, { key: adasTokens.access_token }))
        .body,
    ).toMatchObject({ code: 'not_found' });
    expect((await call('DELETE', `absences/${String(absence.body['id'])}`)).body).toMatchObject({
      status: 'withdrawn',
    });
    expect(
      await world.db.all(
        'SELECT action FROM audit_entries WHERE actor_kind = :kind AND subject = :subject AND action LIKE :clock',
        { kind: 'personal_link', subject: `person ${world.people.ben}`, clock: 'clock.%' },
      ),
    ).toHaveLength(4);
  });

  it('each kind of token works in one place only', async () => {
    const tokens = await linkAda();
    const code = await consent(ada, app, linkScopes);
    for (const wrongToken of [
      tokens.refresh_token,
      code,
      `${tokens.access_token}x`,
      tokens.access_token.replace('cpa_', 'cpr_'),
      'cpa_',
      `cpa_${'0'.repeat(32)}`,
    ])
      expect((await me(wrongToken)).status).toBe(401);
    expect(await me(app.key)).toMatchObject({ status: 403, body: { code: 'wrong_credential_kind' } });
    expect(await world.call('GET', '/api/v1/users', { key: tokens.access_token })).toMatchObject({
      status: 403,
      body: { code: 'wrong_credential_kind' },
    });
    expect((await world.call('GET', '/api/v1/me', { headers: { 'x-api-key': tokens.access_token } })).status).toBe(401);
    for (const wrongToken of [tokens.access_token, code, app.key])
      expect((await renew(world, app, wrongToken)).body).toMatchObject({ error: 'invalid_grant' });
    for (const wrongToken of [tokens.access_token, tokens.refresh_token])
      expect((await exchange(world, app, wrongToken)).body).toMatchObject({ error: 'invalid_grant' });
    expect(
      (
        await post(
          world,
          '/oauth/token',
          { clientId: app.clientId, key: tokens.access_token },
          { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
        )
      ).body,
    ).toMatchObject({ error: 'invalid_client' });
    expect((await world.call('GET', `/api/v1/me?access_token=${tokens.access_token}`)).status).toBe(401);
    expect((await me(tokens.access_token)).status).toBe(200);
    expect((await exchange(world, app, code)).status).toBe(200);
  });

  it('a client identifies by HTTP Basic or by its form, and by both where they agree', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'cpr_x' };
    const formCredentials = { client_id: app.clientId, client_secret: app.key };
    // Past the client: the token is what is wrong.
    for (const [client, credentials] of [
      [undefined, formCredentials],
      [app, formCredentials],
      [app, { client_secret: app.key }],
      [app, { client_secret: '' }],
    ] as const)
      expect([
        credentials,
        (await post(world, '/oauth/token', client, { ...form, ...credentials })).body['error'],
      ]).toEqual([credentials, 'invalid_grant']);
    const { refresh_token: token } = await linkAda(['write:clock']);
    const revocation = await post(world, '/oauth/revoke', undefined, { token, ...formCredentials });
    expect([revocation.status, revocation.body, revocation.headers.get('content-type')]).toEqual([
      200,
      {},
      expect.stringMatching(/^application\/json/),
    ]);
    expect((await renew(world, app, token)).body).toMatchObject({ error: 'invalid_grant' });
    for (const body of [
      `client_id=${app.clientId}&client_secret=${app.key}&client_secret=${app.key}&grant_type=refresh_token`,
      `client_id=${app.clientId}&client_id=${app.clientId}&client_secret=${app.key}&grant_type=refresh_token`,
    ])
      expect((await post(world, '/oauth/token', undefined, body)).body).toMatchObject({ error: 'invalid_request' });
    const refusal = await post(world, '/oauth/token', undefined, {
      ...form,
      ...formCredentials,
      client_secret: otherApp.key,
    });
    expect([refusal.status, refusal.body['error'], refusal.headers.get('www-authenticate')]).toEqual([
      401,
      'invalid_client',
      'Basic realm="clockproof", charset="UTF-8"',
    ]);
    expect(
      (await post(world, `/oauth/token?client_id=${app.clientId}&client_secret=${app.key}`, undefined, form)).status,
    ).toBe(401);
    expect((await post(world, '/oauth/token', app, { ...form, client_secret: otherApp.key })).body).toMatchObject({
      error: 'invalid_request',
    });
    expect((await post(world, '/oauth/token', app, { ...form, client_id: otherApp.clientId })).body).toMatchObject({
      error: 'invalid_request',
    });
    expect((await post(world, '/oauth/token', app, { ...form, client_id: app.clientId })).body).toMatchObject({
      error: 'invalid_grant',
    });
    for (const wrongClient of [
      { clientId: otherApp.clientId, key: app.key },
      { clientId: 'cli_nobody', key: app.key },
      { clientId: app.clientId, key: 'wrong' },
      { clientId: app.id, key: app.key },
    ])
      expect((await post(world, '/oauth/token', wrongClient, form)).body).toMatchObject({ error: 'invalid_client' });
    expect((await post(world, '/oauth/revoke', undefined, { token: 'x' })).body).toMatchObject({
      error: 'invalid_client',
    });
    expect((await post(world, '/oauth/revoke', app, { token: 'cpr_unknown' })).status).toBe(200);
    expect((await post(world, '/oauth/revoke', app, {})).body).toMatchObject({ error: 'invalid_request' });
    for (const [body, error] of [
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
      [{}, 'invalid_request'],
      [{ grant_type: 'authorization_code' }, 'invalid_request'],
      [{ grant_type: 'refresh_token' }, 'invalid_request'],
      ['grant_type=refresh_token&grant_type=refresh_token&refresh_token=x', 'invalid_request'],
    ] as const) {
      expect([body, (await post(world, '/oauth/token', app, body)).body['error']]).toEqual([body, error]);
    }
    const response = await fetch(`${world.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: basic(app), 'content-type': 'application/json' },
      body: JSON.stringify(form),
    });
    expect([response.status, await response.json()]).toMatchObject([
      415,
      {
        error: 'unsupported_media_type',
        code: 'unsupported_media_type',
        error_description: expect.any(String),
        request_id: expect.any(String),
      },
    ]);
    expect((await post(world, '/oauth/token', app, { ...form, junk: 'x'.repeat(300_000) })).body).toMatchObject({
      error: 'payload_too_large',
    });
    expect(
      (
        await createBrowser(world.url).call('OPTIONS', '/oauth/token', {
          headers: { 'access-control-request-method': 'POST', origin: 'https://app.example' },
        })
      ).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });

  it('a link ends at the time fixed at consent, after any number of renewals', async () => {
    const shortApp = await addApp(world, 'Short', { linkDays: 30 });
    const end = world.now() + 30 * day;
    let tokens = (await linkAda(linkScopes, shortApp)) as {
      access_token: string;
      refresh_token: string;
      link_expires_at: string;
    };
    expect(tokens.link_expires_at).toBe(formatInstant(end));
    for (let days = 1; days < 30; days++) {
      world.advance(day);
      const answer = await renew(world, shortApp, tokens.refresh_token);
      expect([answer.status, answer.body['link_expires_at']]).toEqual([200, formatInstant(end)]);
      tokens = answer.body as typeof tokens;
    }
    world.set(end - 10 * minute);
    const lastRenewal = await renew(world, shortApp, tokens.refresh_token);
    expect(lastRenewal.body['expires_in']).toBe(600);
    world.set(end);
    expect((await me(lastRenewal.body['access_token'] as string)).body).toMatchObject({ code: 'token_revoked' });
    expect((await renew(world, shortApp, lastRenewal.body['refresh_token'] as string)).body).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await endExpiredLinks(world.service.store, world.now())).toBeGreaterThan(0);
    expect(await endExpiredLinks(world.service.store, world.now())).toBe(0);
    expect(await lastEvent()).toMatchObject({ type: 'link.ended', data: { reason: 'expired' } });
  });

  it('an access token is valid for an hour', async () => {
    const tokens = await linkAda();
    world.advance(hour - second);
    expect((await me(tokens.access_token)).status).toBe(200);
    world.advance(second);
    expect((await me(tokens.access_token)).body).toMatchObject({ code: 'token_expired' });
    expect((await renew(world, app, tokens.refresh_token)).status).toBe(200);
  });

  it("a link replaces the person's older link with the same app, and no other", async () => {
    const [oldTokens, otherTokens] = [await linkAda(), await linkAda(linkScopes, otherApp)];
    const newTokens = await linkAda();
    expect((await me(oldTokens.access_token)).body).toMatchObject({ code: 'token_revoked' });
    for (const tokens of [otherTokens, newTokens]) expect((await me(tokens.access_token)).status).toBe(200);
  });

  it('a link is shown to the person with its rights and uses, and ended with one click', async () => {
    const tokens = await linkAda(['read:clock_states', 'write:clock']);
    await world.call('POST', '/api/v1/clock/in', { key: tokens.access_token });
    const list = (await ada.call('GET', '/app/linked-apps')).body['data'] as {
      id: string;
      extension: { name: string };
      last_action: string;
    }[];
    const linkedApp = list.find((link) => link.extension.name === 'Roster')!;
    expect(linkedApp).toMatchObject({
      scopes: ['read:clock_states', 'write:clock'],
      last_action: 'Clocked in',
      last_used_at: expect.any(String),
    });
    const activity = (await ada.call('GET', `/app/linked-apps/${linkedApp.id}/activity`)).body['data'] as {
      action: string;
      description: string;
    }[];
    expect(activity.map((entry) => entry.action)).toEqual(['clock.in', 'link.opened']);
    expect(activity[0]!.description).toBe('Clocked in');
    const ben = await world.as(world.people.ben);
    for (const [method, path] of [
      ['GET', '/activity'],
      ['DELETE', ''],
    ] as const)
      expect((await ben.call(method, `/app/linked-apps/${linkedApp.id}${path}`)).body).toMatchObject({
        code: 'not_found',
      });
    expect((await ada.call('DELETE', `/app/linked-apps/${linkedApp.id}`)).status).toBe(204);
    expect((await ada.call('DELETE', `/app/linked-apps/${linkedApp.id}`)).body).toMatchObject({ code: 'not_found' });
    expect((await me(tokens.access_token)).body).toMatchObject({ code: 'token_revoked' });
    expect(await lastEvent()).toMatchObject({ data: { reason: 'revoked_by_person' } });
  });

  it('a link ends with its person, and stays within the company of its extension', async () => {
    const boundApp = await addApp(world, 'Bound', { companyId: world.sued });
    const id = await ask(await signInAda(), boundApp);
    expect((await ada.call('GET', `/app/consent/${id}`)).body).toMatchObject({ code: 'not_found' });
    const tokens = await link(world, boundApp, world.people.zoe, ['read:clock_states']);
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :id', { id: world.people.zoe }));
    expect((await me(tokens.access_token)).body).toMatchObject({ code: 'token_revoked' });
    expect((await renew(world, boundApp, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    await world.db.write((tx) => tx.run('UPDATE people SET active = 1 WHERE id = :id', { id: world.people.zoe }));
  });

  it('the switch ends a link, with the writing scopes of every key, also during refreshes', async () => {
    const tokens = await linkAda();
    const replica = await world.replica();
    let refreshToken = tokens.refresh_token;
    let isDone = false;
    const renewalLoop = (async () => {
      for (let turn = 0; !isDone; turn++) {
        const answer = await renew(world, app, refreshToken, {}, turn % 2 === 0 ? world.url : replica.url);
        expect([200, 400]).toContain(answer.status);
        if (answer.status !== 200) return;
        refreshToken = answer.body['refresh_token'] as string;
      }
    })();
    const codes = [await consent(ada, otherApp, linkScopes), await consent(ada, otherApp, linkScopes)];
    const exchanges = codes.map((code, index) =>
      exchange(world, otherApp, code, {}, index === 0 ? world.url : replica.url),
    );
    const result = await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      switchPeopleAccess(write, { writes: false }),
    );
    isDone = true;
    await Promise.all([renewalLoop, ...exchanges]);
    expect(result.access).toEqual({ people_writes: 0, personal_links: 0, terminals: 1 });
    expect(result.strippedKeys).toBeGreaterThan(0);
    expect(await world.db.all('SELECT id FROM links WHERE ended_at IS NULL')).toEqual([]);
    expect(
      (await world.db.all<{ scopes: string }>('SELECT scopes FROM extensions')).filter(({ scopes }) =>
        writeScopes.some((scope) => scopes.includes(scope)),
      ),
    ).toEqual([]);
    expect(
      (await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: world.people.ada } }))
        .body,
    ).toMatchObject({ code: 'feature_disabled' });
    // Final, not "later": the links are over, whatever is switched on again.
    for (const answer of [
      await renew(world, app, refreshToken),
      await exchange(world, otherApp, codes[0]!),
      await exchange(world, otherApp, 'cpc_unknown'),
    ])
      expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
    expect(
      parametersOf(
        (await createBrowser(world.url).call('GET', `/oauth/authorize?${authorizeQuery(app)}`)).headers.get('location'),
      ),
    ).toMatchObject({ error: 'temporarily_unavailable' });
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      switchPeopleAccess(write, { writes: true, links: true }),
    );
    expect(
      (await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: world.people.ada } }))
        .body,
    ).toMatchObject({ code: 'insufficient_scope' });
    expect((await renew(world, app, refreshToken)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await linkAda(linkScopes.slice(0, 3))).scope).toBe(
      'read:time_entries read:leave_entries read:clock_states',
    );
  });

  it('the database stores no readable code, token, mark or key', async () => {
    const tokens = await linkAda(['read:clock_states']);
    const code = await consent(ada, app, ['read:clock_states']);
    const database = await dump(world.db);
    for (const secret of [
      tokens.access_token,
      tokens.refresh_token,
      code,
      ada.cookies.get('browser')!,
      ada.cookies.get('session')!,
      app.key,
      verifier,
      basic(app),
    ])
      expect(database).not.toContain(secret);
  });
});

/**
 * RACE_ROUNDS=200 for the full proof; a few rounds show a broken exchange just as surely, since every round has
 * forty-nine losers.
 */
const rounds = Number(process.env['RACE_ROUNDS'] ?? '3');

describe.each(dialects)('parallel OAuth requests at two replicas on %s', (dialect) => {
  it(
    'fifty parallel requests at two replicas win one code exchange and one renewal',
    async () => {
      const world = await createWorld(dialect);
      const replica = await world.replica();
      await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
      const app = await addApp(world, 'Racer');
      const urls = [world.url, replica.url];
      const count = (answers: { status: number }[], status: number) =>
        answers.filter((answer) => answer.status === status).length;
      const endings = async () =>
        (await world.db.get<{ n: number }>("SELECT count(*) AS n FROM audit_entries WHERE action = 'link.ended'"))!.n;
      let expectedEndings = 0;
      for (let round = 0; round < rounds; round++) {
        const browser = await world.as(world.people.ada);
        const code = await consent(browser, app, linkScopes);
        const exchanges = await Promise.all(
          Array.from({ length: 50 }, (_, index) => exchange(world, app, code, {}, urls[index % 2]!)),
        );
        expect([count(exchanges, 200), count(exchanges, 400)]).toEqual([1, 49]);
        const deadTokens = exchanges.find((answer) => answer.status === 200)!.body as { refresh_token: string };
        expect((await renew(world, app, deadTokens.refresh_token)).status).toBe(400);

        const tokens = await link(world, app, world.people.ada, linkScopes, browser);
        const renewals = await Promise.all(
          Array.from({ length: 50 }, (_, index) => renew(world, app, tokens.refresh_token, {}, urls[index % 2]!)),
        );
        expect([count(renewals, 200), count(renewals, 400)]).toEqual([1, 49]);
        const newTokens = renewals.find((answer) => answer.status === 200)!.body as {
          refresh_token: string;
          access_token: string;
        };
        expect((await renew(world, app, newTokens.refresh_token)).status).toBe(400);
        expect((await world.call('GET', '/api/v1/me', { key: newTokens.access_token })).body).toMatchObject({
          code: 'token_revoked',
        });
        expectedEndings += 2;
        expect(await endings()).toBe(expectedEndings);
      }
      expect(await world.db.all('SELECT id FROM links WHERE ended_at IS NULL')).toEqual([]);
      await world.close();
    },
    30_000 + rounds * 10_000,
  );
});
