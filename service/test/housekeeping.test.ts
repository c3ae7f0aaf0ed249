import { createHash } from 'node:crypto';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AddedExtension } from '../src/extensions/extensions.js';
import { purgeExpired } from '../src/housekeeping.js';
import { type Browser, createBrowser, factorKeysOf, giveCredentials, signIn } from './browser.js';
import { addApp, ask, consent, exchange, link, post, renew } from './linking.js';
import { createWorld, type World } from './world.js';

const dataKey = createHash('sha256').update('the data key of the tests').digest();
const scopes = ['read:clock_states'];

describe.each(dialects)('housekeeping on %s', (dialect) => {
  let world: World;
  let app: AddedExtension;
  beforeEach(async () => {
    world = await createWorld(dialect);
    await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
    app = await addApp(world, 'Roster', { linkDays: 60 });
  });
  afterEach(() => world.close());
  const ada = (): Promise<Browser> => signIn(world, world.people.ada, createBrowser(world.url));
  const me = async (token: string) => (await world.call('GET', '/api/v1/me', { key: token })).body['code'];
  const count = async (table: string) =>
    Number((await world.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))!.n);
  const purge = async () => (await world.db.write((tx) => purgeExpired(tx, world.now()))).tokens;

  it('forgets requests for consent when they are over, and codes a day later', async () => {
    const browser = await ada();
    await ask(browser, app);
    const used = await consent(browser, app, scopes);
    const unused = await consent(browser, app, scopes);
    expect((await exchange(world, app, used)).status).toBe(200);
    expect([await purge(), await count('consent_requests'), await count('authorization_codes')]).toEqual([0, 3, 2]);
    world.advance(10 * minute + 1);
    expect([await purge(), await count('consent_requests'), await count('authorization_codes')]).toEqual([3, 0, 2]);
    world.advance(day - 9 * minute - 1);
    expect([await purge(), await count('authorization_codes')]).toEqual([0, 2]);
    world.advance(second);
    expect([await purge(), await count('authorization_codes')]).toEqual([2, 0]);
    for (const code of [used, unused])
      expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('keeps the used refresh tokens of a living link, however old: presented again they end it', async () => {
    const own = await link(world, app, world.people.ada, scopes, await ada());
    world.advance(day);
    let last = (await renew(world, app, own.refresh_token)).body as { access_token: string; refresh_token: string };
    world.advance(45 * day);
    last = (await renew(world, app, last.refresh_token)).body as typeof last;
    await purge();
    expect((await renew(world, app, own.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect(await me(last.access_token)).toBe('token_revoked');
  });

  it('forgets the tokens of a link thirty days after it has ended or expired, and keeps the link', async () => {
    world.advance(100 * day);
    await purge();
    expect([await count('access_tokens'), await count('used_refresh_tokens')]).toEqual([0, 0]);
    const links = await count('links');

    const ended = await link(world, app, world.people.ada, scopes, await ada());
    const renewed = (await renew(world, app, ended.refresh_token)).body as {
      access_token: string;
      refresh_token: string;
    };
    expect((await post(world, '/oauth/revoke', app, { token: renewed.refresh_token })).status).toBe(200);
    world.advance(30 * day); // Its code and its request for consent go long before its tokens.
    expect([await purge(), await me(renewed.access_token), await count('used_refresh_tokens')]).toEqual([
      2,
      'token_revoked',
      1,
    ]);
    world.advance(1);
    expect([await purge(), await me(renewed.access_token), await count('used_refresh_tokens')]).toEqual([
      3,
      'unauthorized',
      0,
    ]);

    const expired = await link(world, app, world.people.ada, scopes, await ada());
    world.advance(90 * day - second);
    await purge();
    expect(await me(expired.access_token)).toBe('token_revoked');
    world.advance(second + 1);
    expect(await purge()).toBe(1);
    expect([await me(expired.access_token), await count('links')]).toEqual(['unauthorized', links + 2]);
  });
});
