import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { endLinks } from '../../src/access/oauth/links.js';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { addSuperAdmin, type Browser, createBrowser, factorKeysOf, giveCredentials, password } from '../browser.js';
import { sendStamp } from '../builders.js';
import { addApp, ask, consent, decide, exchange, link, renew } from '../linking.js';
import { createWorld, dataKey, type World } from '../world.js';

const scopes = ['read:clock_states'];

describe.each(oneDialect)('ends of links on %s', (dialect) => {
  let world: World;
  let rhea: number;
  let app: AddedExtension;
  let root: Browser;
  let ada: Browser;
  let zoe: Browser;
  let round = 0;
  beforeEach(async () => {
    world = await createWorld(dialect);
    rhea = await addSuperAdmin(world, { companyId: world.nord, lastName: 'Chef' });
    await giveCredentials(world, [world.people.ada, world.people.zoe], await factorKeysOf(world, dataKey));
  });
  beforeEach(async () => {
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      endLinks(write, { all: true }, 'switched_off'),
    );
    app = await addApp(world, `App ${++round}`);
    for (const set of [
      async () => (ada = await world.as(world.people.ada)),
      async () => (zoe = await world.as(world.people.zoe)),
      async () => (root = await world.as(rhea)),
    ])
      await set();
  });
  afterEach(() => world.close());

  const me = (token: string) => world.call('GET', '/api/v1/me', { key: token });
  const extension = () => `/app/admin/extensions/${app.id}`;
  const patch = async (path: string, body: object) => {
    const answer = await root.call('PATCH', path, { body });
    expect([path, body, answer.status]).toEqual([path, body, 200]);
  };
  const post = async (path: string, body?: object) => {
    const answer = await root.call('POST', path, body === undefined ? {} : { body });
    expect([path, answer.status, answer.body]).toEqual([path, 200, expect.anything()]);
  };
  const endings = async () =>
    (
      await world.db.all<{ payload: string }>("SELECT payload FROM events WHERE type = 'link.ended' ORDER BY sequence")
    ).map(({ payload }) => JSON.parse(payload) as { data: { user_id: number; reason: string } });
  const lastEnding = async () => (await endings()).at(-1)?.data;
  const lastEntry = async () =>
    JSON.parse(
      (await world.db.get<{ details: string }>(
        "SELECT details FROM audit_entries WHERE action = 'link.ended' ORDER BY sequence DESC LIMIT 1",
      ))!.details,
    ) as object;
  const listed = async (browser: Browser) =>
    ((await browser.call('GET', '/app/linked-apps')).body['data'] as { extension: { id: string } }[]).filter(
      (link) => link.extension.id === app.id,
    ).length;

  it('the end of a link reaches the event list of its app, for any permission, and no other', async () => {
    const other = await addApp(world, `Other ${round}`);
    const pulled = async ({ key }: AddedExtension, query = '') =>
      (
        (await world.call('GET', `/api/v1/events?limit=500${query}`, { key })).body['data'] as {
          type: string;
          sequence: number;
          company_id: number;
        }[]
      ).filter(({ type }) => type === 'link.ended');
    const narrow = await addApp(world, `Narrow ${round}`, { scopes: ['read:clock_states'] });
    await link(world, app, world.people.ada, scopes, ada);
    await link(world, app, world.people.zoe, scopes, zoe);
    await link(world, narrow, world.people.ada, scopes, ada);
    // Bound to Nord, it loses the link of Zoe in Sued and still learns of it.
    await patch(extension(), { company_id: world.nord });
    await patch(extension(), { linking: false });
    await patch(`/app/admin/extensions/${narrow.id}`, { linking: false });

    expect(await pulled(app)).toMatchObject([
      { company_id: world.sued, data: { user_id: world.people.zoe, reason: 'extension_rebound' } },
      { company_id: world.nord, data: { user_id: world.people.ada, reason: 'linking_off' } },
    ]);
    expect(await pulled(app, `&company_id=${world.nord}`)).toMatchObject([{ company_id: world.nord }]);
    expect(await pulled(narrow)).toMatchObject([{ data: { user_id: world.people.ada, reason: 'linking_off' } }]);
    expect(await pulled(other)).toEqual([]);
    expect(await pulled(world.auditor)).toEqual([]);

    // By now nobody is linked: what else it reads is the setting of its key.
    await patch(extension(), { key_reads: 'everyone' });
    // Page by page it comes in the order of the sequence, between events of other kinds.
    await sendStamp(world, 'in');
    const whole = (await world.call('GET', '/api/v1/events?limit=500', { key: app.key })).body['data'];
    const walked: unknown[] = [];
    let cursor: unknown = '';
    do {
      const { body } = await world.call('GET', `/api/v1/events?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`, {
        key: app.key,
      });
      walked.push(...(body['data'] as unknown[]));
      cursor = body['next_cursor'];
    } while (cursor !== null);
    expect(walked).toEqual(whole);
    // The super admin of these tests was added first.
    expect(walked).toMatchObject([
      { type: 'user.created' },
      { type: 'link.ended' },
      { type: 'link.ended' },
      { type: 'clock.in' },
    ]);
  });

  /** Ends something and takes it back. */
  const turns: readonly (readonly [string, () => Promise<void>, () => Promise<void>])[] = [
    [
      'writing for people',
      () => patch('/app/admin/access', { extensions_write: false }),
      () => patch('/app/admin/access', { extensions_write: true, personal_links: true }),
    ],
    [
      'personal links',
      () => patch('/app/admin/access', { personal_links: false }),
      () => patch('/app/admin/access', { personal_links: true }),
    ],
    [
      'linking of the extension',
      () => patch(extension(), { linking: false }),
      () => patch(extension(), { linking: true }),
    ],
    [
      'the company of the extension',
      () => patch(extension(), { company_id: world.nord }),
      () => patch(extension(), { company_id: null }),
    ],
    [
      'the company of the person',
      () => patch(`/app/admin/companies/${world.sued}`, { active: false }),
      () => patch(`/app/admin/companies/${world.sued}`, { active: true }),
    ],
    [
      'the person',
      () => post(`/app/admin/people/${world.people.zoe}/deactivation`, { employment_end: '2026-11-22' }),
      () => post(`/app/admin/people/${world.people.zoe}/reactivation`),
    ],
  ];

  it.each(turns)('ended links take back consents not exchanged yet, with %s off and on again', async (_, off, on) => {
    const code = await consent(zoe, app, scopes);
    const open = await ask(zoe, app);
    expect((await zoe.call('GET', `/app/consent/${open}`)).status).toBe(200);
    await off();
    await on();
    expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
    const again = await world.as(world.people.zoe);
    for (const [name, value] of zoe.cookies) if (name === 'browser') again.cookies.set(name, value);
    for (const browser of [zoe, again]) expect((await decide(browser, open, scopes)).status).not.toBe(200);
    expect(
      await world.db.all(
        'SELECT id FROM consent_requests WHERE decided_at IS NULL AND expires_at > :at AND extension_id = :id',
        { at: world.now(), id: app.id },
      ),
    ).toEqual([]);
    expect((await exchange(world, app, await consent(again, app, scopes))).status).toBe(200);
  });

  it('a deleted extension takes back its consents', async () => {
    await consent(zoe, app, scopes);
    await ask(zoe, app);
    expect((await root.call('DELETE', extension())).status).toBe(204);
    expect(
      await world.db.all('SELECT hash FROM authorization_codes WHERE used_at IS NULL AND extension_id = :id', {
        id: app.id,
      }),
    ).toEqual([]);
    expect(
      await world.db.all(
        'SELECT id FROM consent_requests WHERE decided_at IS NULL AND expires_at > :at AND extension_id = :id',
        { at: world.now(), id: app.id },
      ),
    ).toEqual([]);
  });

  it.each([
    ['switching linking off', 'linking_off', 2],
    ['binding the extension to another company', 'extension_rebound', 3],
    ['deactivating the company', 'company_deactivated', 4],
  ] as const)('%s ends the links at once, and undoing it restores none', async (_, reason, turn) => {
    const own = await link(world, app, world.people.zoe, scopes, zoe);
    expect([await listed(zoe), (await root.call('GET', extension())).body['links']]).toEqual([1, 1]);
    const before = (await endings()).length;
    await turns[turn]![1]();
    expect((await me(own.access_token)).body).toMatchObject({ code: 'token_revoked' });
    expect([(await endings()).length - before, await lastEnding(), await lastEntry()]).toEqual([
      1,
      expect.objectContaining({ user_id: world.people.zoe, reason }),
      expect.objectContaining({ reason }),
    ]);
    expect([
      (await root.call('GET', extension())).body['links'],
      (await root.call('GET', `${extension()}/links`)).body['data'],
    ]).toEqual([0, []]);
    await turns[turn]![2]();
    expect((await me(own.access_token)).body).toMatchObject({ code: 'token_revoked' });
    expect((await renew(world, app, own.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect([(await endings()).length - before, await listed(await world.as(world.people.zoe))]).toEqual([1, 0]);
  });

  it('links of the bound company, and of every other extension, remain', async () => {
    const other = await addApp(world, `Other ${round}`);
    const [adas, zoes, elsewhere] = [
      await link(world, app, world.people.ada, scopes, ada),
      await link(world, app, world.people.zoe, scopes, zoe),
      await link(world, other, world.people.zoe, scopes, zoe),
    ];
    await patch(extension(), { company_id: world.nord });
    expect(
      await Promise.all([adas, zoes, elsewhere].map(async ({ access_token: token }) => (await me(token)).status)),
    ).toEqual([200, 401, 200]);
    await patch(extension(), { company_id: null });
    expect((await me(adas.access_token)).status).toBe(200);
    await patch(`/app/admin/companies/${world.sued}`, { active: false });
    expect([(await me(adas.access_token)).status, (await me(elsewhere.access_token)).status]).toEqual([200, 401]);
    await patch(`/app/admin/companies/${world.sued}`, { active: true });
    await patch(extension(), { linking: true, name: `Renamed ${round}` });
    expect((await me(adas.access_token)).status).toBe(200);
  });

  it('a deactivated company refuses its keys while it lasts, and restores no sessions', async () => {
    const paths = ['users', 'companies', 'clock/states', 'events', 'time/leaves?updated_since=2026-11-01'];
    const asked = (key: string) =>
      Promise.all(
        paths.map(async (path) => {
          const { status, body } = await world.call('GET', `/api/v1/${path}`, { key });
          return status === 200 ? 200 : [status, body['code']];
        }),
      );
    const session = async (browser: Browser) => (await browser.call('GET', '/app/session')).status;
    const works = paths.map(() => 200);
    expect(await asked(world.souther.key)).toEqual(works);
    expect([await session(zoe), await session(ada)]).toEqual([200, 200]);
    const invited = await root.call('POST', `/app/admin/people/${world.people.zoe}/invitation`);
    const token = String(invited.body['url']).split('#')[1];

    await patch(`/app/admin/companies/${world.sued}`, { active: false });
    expect(await asked(world.souther.key)).toEqual(paths.map(() => [403, 'company_inactive']));
    const body = { user_id: world.people.zoe };
    expect(await world.call('POST', '/api/v1/clock/in', { key: world.souther.key, body })).toMatchObject({
      status: 403,
      body: { code: 'company_inactive' },
    });
    expect([await asked(world.planner.key), await asked(world.auditor.key)]).toEqual([works, works]);
    expect([await session(zoe), await session(ada)]).toEqual([401, 200]);
    const credentials = { email: 'zoe@clockproof.example', password };
    expect((await createBrowser(world.url).call('POST', '/app/sign-in', { body: credentials })).body).toMatchObject({
      code: 'credentials_invalid',
    });

    await patch(`/app/admin/companies/${world.sued}`, { active: true });
    expect(await asked(world.souther.key)).toEqual(works);
    expect([await session(zoe), await session(ada)]).toEqual([401, 200]);
    const check = await createBrowser(world.url).call('POST', '/app/invitation/check', { body: { token } });
    expect(check.body['code']).toBe('one_time_link_invalid');
    expect(await session(await world.as(world.people.zoe))).toBe(200);
  });
});
