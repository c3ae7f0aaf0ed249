/**
 * What the key of an extension reads itself: its setting, its default, and what a person's consent has to do with it.
 * That every list obeys it: `tenant-lists.test.ts`.
 */
import { dialects } from '@clockproof/platform/testing/databases';
import { day } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { sendAbsence, sendStamp } from '../builders.js';
import { addApp, ask, link, redirectUri } from '../linking.js';
import { allScopes, createWorld, type World } from '../world.js';

const settings = { name: 'Feierabend', mode: 'api', scopes: allScopes, acting: 'personal_link' };
const linkSettings = { linking: true, redirect_uris: [redirectUri] };

describe.each(dialects)('the reading setting of a key on %s', (dialect) => {
  let world: World;
  let root: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const rootId = await addSuperAdmin(world, { companyId: world.nord, lastName: 'Chef' });
    root = await world.as(rootId);
  });
  afterEach(() => world.close());

  const usersOf = async (key: string, query = '') => {
    const { status, body } = await world.call('GET', `/api/v1/users${query}`, { key });
    return status === 200 ? (body['data'] as { id: number }[]).map(({ id }) => id) : status;
  };
  const userIdsOf = async (key: string, path: string) =>
    ((await world.call('GET', `/api/v1/${path}`, { key })).body['data'] as { user_id: number }[]).map(
      ({ user_id: id }) => id,
    );
  const create = async (overrides: object) =>
    (await root.call('POST', '/app/admin/extensions', { body: { ...settings, ...overrides } })).body as {
      extension: { id: string; key_reads: string };
      key: string;
    };

  it('a key reads everyone until linking is on, then linked people; the admin may decide otherwise', async () => {
    const { extension, key } = await create({});
    expect(extension.key_reads).toBe('everyone');
    expect(await usersOf(key)).toHaveLength(5);
    const openingAnswer = await root.call('PATCH', `/app/admin/extensions/${extension.id}`, { body: linkSettings });
    expect(openingAnswer.body['key_reads']).toBe('linked_people');
    expect(await usersOf(key)).toEqual([]);
    for (const company of [world.nord, 4_711]) expect(await usersOf(key, `?company_id=${company}`)).toEqual([]);
    const wideningAnswer = await root.call('PATCH', `/app/admin/extensions/${extension.id}`, {
      body: { key_reads: 'everyone' },
    });
    expect(wideningAnswer.body['key_reads']).toBe('everyone');
    expect(await usersOf(key)).toHaveLength(5);
    // Closing the links widens nothing by itself.
    await root.call('PATCH', `/app/admin/extensions/${extension.id}`, { body: { key_reads: 'nothing' } });
    const closingAnswer = await root.call('PATCH', `/app/admin/extensions/${extension.id}`, {
      body: { linking: false, redirect_uris: [] },
    });
    expect(closingAnswer.body['key_reads']).toBe('nothing');
    const { body } = await root.call(
      'GET',
      `/app/admin/audit?from=2026-11-23&to=2026-11-23&action=extension.changed&limit=10`,
    );
    expect(JSON.stringify(body)).toContain('"member":"key_reads","old":"everyone","new":"linked_people"');
    const linkableApp = await create({ name: 'Born linkable', ...linkSettings });
    expect(linkableApp.extension.key_reads).toBe('linked_people');
    expect((await create({ name: 'Said so', ...linkSettings, key_reads: 'everyone' })).extension.key_reads).toBe(
      'everyone',
    );
  });

  it('a key reads of a linked person what the link grants, as long as it is active', async () => {
    const app = await addApp(world, 'Shared');
    const { ada, ben, zoe } = world.people;
    expect(await usersOf(app.key)).toEqual([]);
    await link(world, app, ada, ['read:clock_states', 'read:time_entries']);
    await link(world, app, zoe, ['read:leave_entries']);
    for (const person of [ada, ben]) await sendStamp(world, 'in', person);
    expect(await usersOf(app.key)).toEqual([ada, zoe]);
    expect(await userIdsOf(app.key, 'clock/states')).toEqual([ada]);
    expect(await userIdsOf(app.key, 'time/entries?updated_since=2026-11-01')).toEqual([ada]);
    expect(await userIdsOf(app.key, 'time/leaves?updated_since=2026-11-01')).toEqual([]);
    expect(await usersOf(app.key, `?company_id=${world.sued}`)).toEqual([zoe]);
    const { status } = await world.call('GET', `/api/v1/clock/states?user_id=${ben}`, { key: app.key });
    expect(status).toBe(404);
    const events = async () =>
      ((await world.call('GET', '/api/v1/events', { key: app.key })).body['data'] as { type: string }[]).map(
        ({ type }) => type,
      );
    expect(await events()).toEqual(['clock.in']);
    // Ninety days later the link is over, housekeeping or not.
    world.advance(91 * day);
    expect(await usersOf(app.key)).toEqual([]);
  });

  it('a key pages through linked people while time passes', async () => {
    const app = await addApp(world, 'Shared');
    const { ada, zoe } = world.people;
    for (const person of [ada, zoe]) await link(world, app, person, ['read:clock_states']);
    const firstPage = await world.call('GET', '/api/v1/users?limit=1', { key: app.key });
    world.advance(1_234);
    const nextPage = await world.call('GET', `/api/v1/users?limit=1&cursor=${firstPage.body['next_cursor']}`, {
      key: app.key,
    });
    expect(nextPage).toMatchObject({ status: 200, body: { data: [{ id: zoe }] } });
  });

  it('the reading scope of a key does not narrow for whom it acts', async () => {
    const app = await addActingApp('nothing');
    const path = `/api/v1/absences/${(await sendAbsence(world, {}, app)).id}`;
    expect((await world.call('DELETE', path, { key: app.key })).status).toBe(200);
    expect(await usersOf(app.key)).toEqual([]);
  });

  it('the consent page shows what the key reads, and the consent records it', async () => {
    const app = await addApp(world, 'Curious', { keyReads: 'everyone', scopes: ['read:users', 'read:clock_states'] });
    const browser = await world.as(world.people.ada);
    const { body } = await browser.call('GET', `/app/consent/${await ask(browser, app)}`);
    expect(body).toMatchObject({ key_reads: 'everyone', key_scopes: ['read:users', 'read:clock_states'] });
    await link(world, app, world.people.ada, ['read:clock_states'], browser);
    const entry = await world.db.get<{ details: string }>(
      "SELECT details FROM audit_entries WHERE action = 'link.consented'",
    );
    expect(JSON.parse(entry!.details)).toMatchObject({ key_reads: 'everyone' });
  });

  it('a key of no company does not read deactivated companies', async () => {
    const { key } = world.auditor;
    const companyIds = async () =>
      ((await world.call('GET', '/api/v1/companies', { key })).body['data'] as { id: number }[]).map(({ id }) => id);
    await sendStamp(world, 'in', world.people.zoe);
    expect(await companyIds()).toEqual([world.nord, world.sued]);
    expect(await usersOf(key)).toContain(world.people.zoe);
    const path = `/app/admin/companies/${world.sued}`;
    expect((await root.call('PATCH', path, { body: { active: false } })).status).toBe(200);
    expect(await companyIds()).toEqual([world.nord]);
    expect(await usersOf(key)).not.toContain(world.people.zoe);
    expect(await usersOf(key, `?company_id=${world.sued}`)).toBe(404);
    for (const list of ['clock/states', 'time/entries?updated_since=2026-11-01'])
      expect([list, (await userIdsOf(key, list)).includes(world.people.zoe)]).toEqual([list, false]);
    const events = (await world.call('GET', '/api/v1/events', { key })).body['data'] as Record<string, unknown>[];
    // Only that the super admin of these tests was added.
    expect(events.map(({ type, company_id }) => [type, company_id])).toEqual([['user.created', world.nord]]);
    await root.call('PATCH', path, { body: { active: true } });
    expect(await usersOf(key)).toContain(world.people.zoe);
  });

  async function addActingApp(keyReads: 'nothing'): Promise<AddedExtension> {
    const { extension, key } = await create({
      name: 'Writes only',
      acting: 'everyone',
      company_id: world.nord,
      key_reads: keyReads,
    });
    return { id: extension.id, clientId: '', key };
  }
});
