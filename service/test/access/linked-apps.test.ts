/** What a person reads of apps that act for them, act for them no more, or acted without asking them. */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { day, formatInstant, minute } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { switchPeopleAccess } from '../../src/access/integrations/people-access.js';
import { endExpiredLinks, endLinks } from '../../src/access/oauth/links.js';
import { sendAbsence, sendStamp } from '../builders.js';
import { addApp, link, renew } from '../linking.js';
import { createWorld, type World } from '../world.js';

interface LinkedApp {
  readonly id: string;
  readonly extension: { readonly name: string };
  readonly ended_at?: string;
  readonly end_reason?: string;
  readonly permissions: readonly { readonly title: string }[];
  readonly scopes: readonly string[];
}

describe.each(oneDialect)('linked apps on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());
  const list = async (person: number, query: string): Promise<{ data: LinkedApp[]; next_cursor: string | null }> =>
    (await (await world.as(person)).call('GET', `/app/linked-apps?${query}`)).body as never;

  it('linked apps name their permissions in the words of the consent', async () => {
    const app = await addApp(world, 'Wording');
    await link(world, app, world.people.ada, ['read:clock_states', 'write:clock']);
    const [linkedApp] = (await list(world.people.ada, 'state=active')).data;
    expect(linkedApp).toMatchObject({
      permissions: [
        {
          scope: 'read:clock_states',
          title: 'Read your clock',
          description: 'The app sees whether you are clocked in, out or on a break.',
        },
        {
          scope: 'write:clock',
          title: 'Clock in and out',
          description: 'The app clocks you in and out and starts and ends breaks.',
        },
      ],
    });
    expect(linkedApp).not.toHaveProperty('ended_at');
  });

  it('an ended link stays visible for 90 days, with when, why and what it did', async () => {
    const { ada, ben } = world.people;
    const unwantedApp = await addApp(world, 'Unwanted');
    await link(world, unwantedApp, ada, ['write:clock']);
    await world.write((write) => endLinks(write, { extensionId: unwantedApp.id }, 'revoked_by_person'));
    const stolenApp = await addApp(world, 'Stolen');
    const tokens = await link(world, stolenApp, ada, ['write:clock']);
    expect((await world.call('POST', '/api/v1/clock/in', { key: tokens.access_token, body: {} })).status).toBe(200);
    await renew(world, stolenApp, tokens.refresh_token);
    world.advance(minute);
    const endedAt = world.now();
    expect((await renew(world, stolenApp, tokens.refresh_token)).status).toBe(400);
    world.advance(minute);
    const revokedApp = await addApp(world, 'By admin');
    await link(world, revokedApp, ada, ['write:clock']);
    await world.write((write) => endLinks(write, { extensionId: revokedApp.id }, 'revoked_by_admin'));
    world.advance(minute);
    await link(world, await addApp(world, 'Switched'), ada, ['write:clock']);
    await world.write((write) => switchPeopleAccess(write, { links: false }));
    await world.write((write) => switchPeopleAccess(write, { links: true }));
    world.advance(minute);
    const activeApp = await addApp(world, 'Living');
    await link(world, activeApp, ada, ['write:clock']);

    const endedLinks = await list(ada, 'state=ended');
    expect(endedLinks.data.map((row) => [row.extension.name, row.end_reason, row.scopes])).toEqual([
      ['Switched', 'switched_off', []],
      ['By admin', 'revoked_by_admin', []],
      ['Stolen', 'token_reused', []],
      ['Unwanted', 'revoked_by_person', []],
    ]);
    expect(endedLinks.data[2]).toMatchObject({
      ended_at: formatInstant(endedAt),
      permissions: [{ title: 'Clock in and out' }],
      last_action: 'Clocked in',
    });
    expect((await list(ada, '')).data.map((row) => row.extension.name)).toEqual(['Living']);
    expect((await list(ben, 'state=ended')).data).toEqual([]);
    const pagedIds: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(ada, `state=ended&limit=1${cursor}`);
      pagedIds.push(...page.data.map((row) => row.id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(pagedIds).toEqual(endedLinks.data.map((row) => row.id));

    const activity = (id: string, person: number) =>
      world.as(person).then((browser) => browser.call('GET', `/app/linked-apps/${id}/activity`));
    expect((await activity(endedLinks.data[2]!.id, ada)).body['data']).toMatchObject([
      { description: 'Clocked in' },
      { description: 'Linked' },
    ]);
    expect((await activity(endedLinks.data[2]!.id, ben)).body).toMatchObject({ code: 'not_found' });
    world.set(endedAt + 90 * day - minute);
    expect((await list(ada, 'state=ended')).data.map((row) => row.extension.name)).toContain('Stolen');
    world.set(endedAt + 90 * day);
    expect((await list(ada, 'state=ended')).data.map((row) => row.extension.name)).toEqual(['Switched', 'By admin']);
  });

  it('an expired link is shown as ended, before and after it is recorded', async () => {
    const app = await addApp(world, 'Short', { linkDays: 30 });
    await link(world, app, world.people.ben, ['write:clock']);
    world.advance(30 * day + minute);
    expect((await list(world.people.ben, '')).data).toEqual([]);
    const endedLinks = (await list(world.people.ben, 'state=ended')).data;
    expect(endedLinks).toMatchObject([{ extension: { name: 'Short' }, end_reason: 'expired' }]);
    await endExpiredLinks(world.service.store, world.now());
    expect((await list(world.people.ben, 'state=ended')).data).toMatchObject([
      { extension: { name: 'Short' }, end_reason: 'expired' },
    ]);
  });

  it('the linked apps include records by the company’s apps with their own key, and nothing else', async () => {
    const { ada, ben } = world.people;
    await sendStamp(world, 'in', ben);
    world.advance(minute);
    await sendAbsence(world, { user_id: ben, start_date: '2027-06-01' });
    const readActivity = async (person: number, query = '') =>
      (await (await world.as(person)).call('GET', `/app/app-activity${query}`)).body as {
        data: unknown[];
        next_cursor: string | null;
      };
    const activity = await readActivity(ben);
    expect(activity.data).toEqual([
      {
        at: expect.any(String),
        extension: { id: world.planner.id, name: 'Planner' },
        action: 'absence.requested',
        description: 'Asked for an absence',
      },
      {
        at: expect.any(String),
        extension: { id: world.planner.id, name: 'Planner' },
        action: 'clock.in',
        description: 'Clocked in',
      },
    ]);
    const firstPage = await readActivity(ben, '?limit=1');
    expect([...firstPage.data, ...(await readActivity(ben, `?limit=1&cursor=${firstPage.next_cursor}`)).data]).toEqual(
      activity.data,
    );
    expect((await readActivity(ada)).data).toEqual([]);
  });
});
