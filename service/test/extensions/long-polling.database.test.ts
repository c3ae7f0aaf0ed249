/** The event list waits for the first event that the key may read. */
import { dialects } from '@clockproof/platform/testing/databases';
import { minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changeExtension, removeExtension } from '../../src/access/integrations/extensions.js';
import { rotateKey } from '../../src/extensions/extensions.js';
import { findExtension } from '../../src/extensions/rows.js';
import { changeCompany } from '../../src/hr/companies.js';
import { changeRoles } from '../../src/people/roles.js';
import { findPerson } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { sendStamp } from '../builders.js';
import { type Answer, createWorld, type World } from '../world.js';

describe.each(dialects)('long polling on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const waiters = () => world.service.waiters;
  const head = async () =>
    (await world.call('GET', '/api/v1/events?limit=500', { key: world.planner.key })).body['next_after'] as string;
  /** Until this many requests wait. The database answers in between. */
  const waitForRequests = async (count: number) => {
    while (waiters().waiting() !== count) await world.db.get('SELECT 1');
  };
  const ask = async (
    query = '',
    key = world.planner.key,
  ): Promise<{ answer: Promise<Answer>; isOver: () => boolean }> => {
    const waitersBefore = waiters().waiting();
    let isDone = false;
    const answer = world.call('GET', `/api/v1/events?after=${await head()}&wait=30${query}`, { key }).finally(() => {
      isDone = true;
    });
    await waitForRequests(waitersBefore + 1);
    return { answer, isOver: () => isDone };
  };
  const typesOf = ({ status, body }: Answer) => [
    status,
    (body['data'] as { readonly type: string }[] | undefined)?.map(({ type }) => type),
  ];
  const write = (effect: Parameters<typeof world.service.store.write>[1]) => world.write(effect);
  const needs = () => ({
    sealingKeys: world.service.sealingKeys,
    randomBytes: world.randomBytes,
    allowPrivateTargets: false,
  });

  it('long polling answers at once if there is an event already', async () => {
    await sendStamp(world, 'in');
    expect(typesOf(await world.call('GET', '/api/v1/events?wait=30', { key: world.planner.key }))).toEqual([
      200,
      ['clock.in'],
    ]);
  });

  it('long polling answers with the first event that the key may read and asked for', async () => {
    const anyRequest = await ask();
    const narrowRequest = await ask('&types=clock.out', world.auditor.key);
    await sendStamp(world, 'in', world.people.zoe);
    await sendStamp(world, 'in');
    expect(typesOf(await anyRequest.answer)).toEqual([200, ['clock.in']]);
    await waitForRequests(1);
    expect(narrowRequest.isOver()).toBe(false);
    await sendStamp(world, 'out');
    expect(typesOf(await narrowRequest.answer)).toEqual([200, ['clock.out']]);
    expect(waiters().waiting()).toBe(0);
  });

  it('long polling answers with an event that another process committed', async () => {
    const { answer } = await ask();
    const replica = await world.replica();
    await fetch(`${replica.url}/api/v1/clock/in`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.planner.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: world.people.ada }),
    });
    await world.service.hub.lookUp();
    expect(typesOf(await answer)).toEqual([200, ['clock.in']]);
  });

  it('long polling answers with an empty page when its time is over', async () => {
    const { answer, isOver } = await ask();
    world.advance(29 * second);
    waiters().tick();
    await world.call('GET', '/api/v1/status');
    expect(isOver()).toBe(false);
    world.advance(second);
    waiters().tick();
    const { status, body } = await answer;
    expect({ status, body }).toEqual({
      status: 200,
      body: { data: [], next_cursor: null, has_more: false, next_after: await head() },
    });
  });

  it('long polling ends when the service stops', async () => {
    const { answer } = await ask();
    waiters().close();
    expect(typesOf(await answer)).toEqual([200, []]);
    expect(
      typesOf(await world.call('GET', `/api/v1/events?after=${await head()}&wait=30`, { key: world.planner.key })),
    ).toEqual([200, []]);
  });

  it('long polling ends the oldest request of a key beyond five', async () => {
    const firstRequest = await ask();
    for (let number = 2; number <= 5; number++) await ask();
    const otherRequest = await ask('', world.souther.key);
    const position = await head();
    const sixthAnswer = world.call('GET', `/api/v1/events?after=${position}&wait=30`, { key: world.planner.key });
    expect(typesOf(await firstRequest.answer)).toEqual([200, []]);
    await waitForRequests(6);
    expect(otherRequest.isOver()).toBe(false);
    waiters().close();
    expect(typesOf(await sixthAnswer)).toEqual([200, []]);
  });

  it.each<[string, () => Promise<unknown>, number, string]>([
    ['its extension is deleted', () => write((unit) => removeExtension(unit, world.planner.id)), 401, 'token_revoked'],
    [
      'its company is deactivated',
      () =>
        write(async (unit) => {
          await changeRoles(unit, world.people.zoe, world.sued, [{ role: 'super_admin' }]);
          const person = (await findPerson(unit, world.people.zoe, allCompanies))!;
          await changeCompany(unit, { person }, world.nord, { active: 0 });
        }),
      403,
      'company_inactive',
    ],
  ])('long polling is refused when %s', async (_, effect, status, code) => {
    const { answer } = await ask();
    await effect();
    expect(await answer).toMatchObject({ status, body: { code } });
  });

  it('long polling is refused when its key ends during the wait', async () => {
    await write(async (unit) => {
      const extension = (await findExtension(unit, world.planner.id))!;
      await rotateKey(unit, extension, { overlap: 10 * second, expiresAt: null }, world.randomBytes);
    });
    const { answer } = await ask('', world.planner.key);
    world.advance(10 * second);
    waiters().tick();
    expect(await answer).toMatchObject({ status: 401, body: { code: 'token_revoked' } });
  });

  it('long polling does not show events of a permission that the key lost meanwhile', async () => {
    const { answer } = await ask('', world.auditor.key);
    await write((unit) => changeExtension(unit, needs(), world.auditor.id, { scopes: ['read:users'] }));
    await waitForRequests(1);
    await sendStamp(world, 'in');
    world.advance(minute);
    waiters().tick();
    expect(typesOf(await answer)).toEqual([200, []]);
  });

  it('long polling waits thirty seconds at most, and not on a later page', async () => {
    await sendStamp(world, 'in');
    await sendStamp(world, 'out');
    const { body } = await world.call('GET', '/api/v1/events?limit=1', { key: world.planner.key });
    for (const query of ['wait=31', 'wait=-1', 'wait=a', `limit=1&wait=1&cursor=${body['next_cursor'] as string}`])
      expect((await world.call('GET', `/api/v1/events?${query}`, { key: world.planner.key })).status).toBe(400);
  });
});
