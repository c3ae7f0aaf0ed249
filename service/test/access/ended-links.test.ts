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
  const countLinks = async (browser: Browser) =>
    ((await browser.call('GET', '/app/linked-apps')).body['data'] as { extension: { id: string } }[]).filter(
      (link) => link.extension.id === app.id,
    ).length;

  it('the end of a link reaches the event list of its app, for any permission, and no other', async () => {
    const otherApp = await addApp(world, `Other ${round}`);
    const pullEndings = async ({ key }: AddedExtension, query = '') =>
      (
        (await world.call('GET', `/api/v1/events?limit=500${query}`, { key })).body['data'] as {
          type: string;
          sequence: number;
          company_id: number;
        }[]
      ).filter(({ type }) => type === 'link.ended');
    const narrowApp = await addApp(world, `Narrow ${round}`, { scopes: ['read:clock_states'] });
    await link(world, app, world.people.ada, scopes, ada);
    await link(world, app, world.people.zoe, scopes, zoe);
    await link(world, narrowApp, world.people.ada, scopes, ada);
    // Bound to Nord, it loses the link of Zoe in Sued and still learns of it.
    await patch(extension(), { company_id: world.nord });
    await patch(extension(), { linking: false });
    await patch(`/app/admin/extensions/${narrowApp.id}`, { linking: false });

    expect(await pullEndings(app)).toMatchObject([
      { company_id: world.sued, data: { user_id: world.people.zoe, reason: 'extension_rebound' } },
      { company_id: world.nord, data: { user_id: world.people.ada, reason: 'linking_off' } },
    ]);
    expect(await pullEndings(app, `&company_id=${world.nord}`)).toMatchObject([{ company_id: world.nord }]);
    expect(await pullEndings(narrowApp)).toMatchObject([
      { data: { user_id: world.people.ada, reason: 'linking_off' } },
    ]);
    expect(await pullEndings(otherApp)).toEqual([]);
    expect(await pullEndings(world.auditor)).toEqual([]);

    // By now nobody is linked: what else it reads is the setting of its key.
    await patch(extension(), { key_reads: 'everyone' });
    // Page by page it comes in the order of the sequence, between events of other kinds.
    await sendStamp(world, 'in');
    const allEvents = (await world.call('GET', '/api/v1/events?limit=500', { key: app.key })).body['data'];
    const pagedEvents: unknown[] = [];
    let cursor: unknown = '';
    do {
      const { body } = await world.call('GET', `/api/v1/events?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`, {
        key: app.key,
      });
      pagedEvents.push(...(body['data'] as unknown[]));
      cursor = body['next_cursor'];
    } while (cursor !== null);
    expect(pagedEvents).toEqual(allEvents);
    // The super admin of these tests was added first.
    expect(pagedEvents).toMatchObject([
      { type: 'user.created' },
      { type: 'link.ended' },
      { type: 'link.ended' },
      { type: 'clock.in' },
    ]);
  });

  /** Ends something and takes it back. */
  const switches: readonly (readonly [string, () => Promise<void>, () => Promise<void>])[] = [
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

  it.each(switches)('ended links take back unused consents, with %s off and on again', async (_, end, undo) => {
    const code = await consent(zoe, app, scopes);
    const requestId = await ask(zoe, app);
    expect((await zoe.call('GET', `/app/consent/${requestId}`)).status).toBe(200);
    await end();
    await undo();
    expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
    const secondBrowser = await world.as(world.people.zoe);
    for (const [name, value] of zoe.cookies) if (name === 'browser') secondBrowser.cookies.set(name, value);
    for (const browser of [zoe, secondBrowser]) expect((await decide(browser, requestId, scopes)).status).not.toBe(200);
    expect(
      await world.db.all(
        'SELECT id FROM consent_requests WHERE decided_at IS NULL AND expires_at > :at AND extension_id = :id',
        { at: world.now(), id: app.id },
      ),
    ).toEqual([]);
    expect((await exchange(world, app, await consent(secondBrowser, app, scopes))).status).toBe(200);
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
  ] as const)('%s ends the links at once, and undoing it restores none', async (_, reason, switchIndex) => {
    const zoesLink = await link(world, app, world.people.zoe, scopes, zoe);
    expect([await countLinks(zoe), (await root.call('GET', extension())).body['links']]).toEqual([1, 1]);
    const endingsBefore = (await endings()).length;
    await switches[switchIndex]![1]();
    expect((await me(zoesLink.access_token)).body).toMatchObject({ code: 'token_revoked' });
    expect([(await endings()).length - endingsBefore, await lastEnding(), await lastEntry()]).toEqual([
      1,
      expect.objectContaining({ user_id: world.people.zoe, reason }),
      expect.objectContaining({ reason }),
    ]);
    expect([
      (await root.call('GET', extension())).body['links'],
      (await root.call('GET', `${extension()}/links`)).body['data'],
    ]).toEqual([0, []]);
    await switches[switchIndex]![2]();
    expect((await me(zoesLink.access_token)).body).toMatchObject({ code: 'token_revoked' });
    expect((await renew(world, app, zoesLink.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect([(await endings()).length - endingsBefore, await countLinks(await world.as(world.people.zoe))]).toEqual([
      1, 0,
    ]);
  });

  it('links of the bound company, and of every other extension, remain', async () => {
    const otherApp = await addApp(world, `Other ${round}`);
    const [adasLink, zoesLink, otherLink] = [
      await link(world, app, world.people.ada, scopes, ada),
      await link(world, app, world.people.zoe, scopes, zoe),
      await link(world, otherApp, world.people.zoe, scopes, zoe),
    ];
    await patch(extension(), { company_id: world.nord });
    expect(
      await Promise.all(
        [adasLink, zoesLink, otherLink].map(async ({ access_token: token }) => (await me(token)).status),
      ),
    ).toEqual([200, 401, 200]);
    await patch(extension(), { company_id: null });
    expect((await me(adasLink.access_token)).status).toBe(200);
    await patch(`/app/admin/companies/${world.sued}`, { active: false });
    expect([(await me(adasLink.access_token)).status, (await me(otherLink.access_token)).status]).toEqual([200, 401]);
    await patch(`/app/admin/companies/${world.sued}`, { active: true });
    await patch(extension(), { linking: true, name: `Renamed ${round}` });
    expect((await me(adasLink.access_token)).status).toBe(200);
  });

  it('a deactivated company refuses its keys while it lasts, and restores no sessions', async () => {
    const paths = ['users', 'companies', 'clock/states', 'events', 'time/leaves?updated_since=2026-11-01'];
    const outcomesOf = (key: string) =>
      Promise.all(
        paths.map(async (path) => {
          const { status, body } = await world.call('GET', `/api/v1/${path}`, { key });
          return status === 200 ? 200 : [status, body['code']];
        }),
      );
    const sessionStatus = async (browser: Browser) => (await browser.call('GET', '/app/session')).status;
    const successes = paths.map(() => 200);
    expect(await outcomesOf(world.souther.key)).toEqual(successes);
    expect([await sessionStatus(zoe), await sessionStatus(ada)]).toEqual([200, 200]);
    const invitation = await root.call('POST', `/app/admin/people/${world.people.zoe}/invitation`);
    const token = String(invitation.body['url']).split('#')[1];

    await patch(`/app/admin/companies/${world.sued}`, { active: false });
    expect(await outcomesOf(world.souther.key)).toEqual(paths.map(() => [403, 'company_inactive']));
    const body = { user_id: world.people.zoe };
    expect(await world.call('POST', '/api/v1/clock/in', { key: world.souther.key, body })).toMatchObject({
      status: 403,
      body: { code: 'company_inactive' },
    });
    expect([await outcomesOf(world.planner.key), await outcomesOf(world.auditor.key)]).toEqual([successes, successes]);
    expect([await sessionStatus(zoe), await sessionStatus(ada)]).toEqual([401, 200]);
    const credentials = { email: 'zoe@clockproof.example', password };
    expect((await createBrowser(world.url).call('POST', '/app/sign-in', { body: credentials })).body).toMatchObject({
      code: 'credentials_invalid',
    });

    await patch(`/app/admin/companies/${world.sued}`, { active: true });
    expect(await outcomesOf(world.souther.key)).toEqual(successes);
    expect([await sessionStatus(zoe), await sessionStatus(ada)]).toEqual([401, 200]);
    const check = await createBrowser(world.url).call('POST', '/app/invitation/check', { body: { token } });
    expect(check.body['code']).toBe('one_time_link_invalid');
    expect(await sessionStatus(await world.as(world.people.zoe))).toBe(200);
  });
});
