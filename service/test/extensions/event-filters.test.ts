/** An extension chooses the types of events that it is sent. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addSuperAdmin, type Browser } from '../browser.js';
import { sendAbsence, sendStamp } from '../builders.js';
import { type Receiver, startReceiver } from '../receivers.js';
import { createWorld, type World } from '../world.js';

describe.each(oneDialect)('the event types of an extension on %s', (dialect) => {
  let world: World;
  let root: Browser;
  let receiver: Receiver;
  let status: number;
  beforeEach(async () => {
    status = 204;
    receiver = await startReceiver((response) => void response.writeHead(status).end());
    world = await createWorld(dialect, { env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
    const rootId = await addSuperAdmin(world);
    root = await world.as(rootId);
  });
  afterEach(async () => {
    await receiver.close();
    await world.close();
  });

  const add = (overrides: object) =>
    root.call('POST', '/app/admin/extensions', {
      body: {
        name: 'Door display',
        mode: 'webhooks',
        acting: 'everyone',
        company_id: world.nord,
        scopes: ['read:clock_states', 'read:time_entries', 'read:leave_entries'],
        webhook_url: `http://127.0.0.1:${receiver.port}/hook`,
        ...overrides,
      },
    });
  const pathOf = (body: Record<string, unknown>) =>
    `/app/admin/extensions/${(body['extension'] as { readonly id: string }).id}`;
  const act = async (date = '2026-12-01') => {
    for (const verb of ['in', 'out']) await sendStamp(world, verb);
    await sendAbsence(world, { user_id: world.people.ben, start_date: date });
  };
  const receivedTypes = () => receiver.received.map(({ body }) => (JSON.parse(body) as { readonly type: string }).type);

  it('an extension gets every event type unless it chooses', async () => {
    const { body } = await add({});
    expect(body['extension']).not.toHaveProperty('event_types');
    await act();
    await world.deliver();
    expect(receivedTypes().sort()).toEqual(['clock.in', 'clock.out', 'leave.requested']);
  });

  it('only the chosen event types are delivered; a ping still arrives, and the list shows every type', async () => {
    const { body } = await add({ event_types: ['leave.requested', 'clock.out'] });
    expect(body['extension']).toMatchObject({ event_types: ['clock.out', 'leave.requested'] });
    await act();
    await world.deliver();
    expect(receivedTypes().sort()).toEqual(['clock.out', 'leave.requested']);
    expect(await root.call('POST', `${pathOf(body)}/ping`)).toMatchObject({ status: 200 });
    expect(receivedTypes().at(-1)).toBe('ping');
    const eventList = await world.call('GET', '/api/v1/events', { key: body['key'] as string });
    expect((eventList.body['data'] as { type: string }[]).map(({ type }) => type)).toEqual([
      'clock.in',
      'clock.out',
      'leave.requested',
    ]);
  });

  it('event types count when a delivery is made, and pending deliveries still arrive', async () => {
    status = 500;
    const { body } = await add({ event_types: ['clock.in'] });
    await act();
    await world.deliver();
    status = 204;
    await root.call('PATCH', pathOf(body), { body: { event_types: ['clock.out'] } });
    world.advance(6 * second);
    await world.deliver();
    expect(receivedTypes()).toEqual(['clock.in', 'clock.in']);
    expect(((await root.call('GET', `${pathOf(body)}/deliveries`)).body['data'] as object[])[0]).toMatchObject({
      type: 'clock.in',
      state: 'delivered',
    });
    await act('2026-12-02');
    await world.deliver();
    expect(receivedTypes().slice(2)).toEqual(['clock.out']);
  });

  it('a change of event types is in the audit log, and null removes the choice', async () => {
    const { body } = await add({ event_types: ['clock.in'] });
    const change = async (types: readonly string[] | null) =>
      (await root.call('PATCH', pathOf(body), { body: { event_types: types } })).body['event_types'];
    expect(await change(['clock.out', 'clock.in'])).toEqual(['clock.in', 'clock.out']);
    // The same choice in another order changes nothing.
    expect(await change(['clock.in', 'clock.out'])).toEqual(['clock.in', 'clock.out']);
    expect(await change(null)).toBeUndefined();
    const entries = await world.db.all<{ readonly details: string }>(
      "SELECT details FROM audit_entries WHERE action = 'extension.changed' ORDER BY sequence",
    );
    expect(entries.map(({ details }) => (JSON.parse(details) as { changes: unknown }).changes)).toEqual([
      [{ member: 'event_types', old: '["clock.in"]', new: '["clock.in","clock.out"]' }],
      [{ member: 'event_types', old: '["clock.in","clock.out"]', new: '' }],
    ]);
  });

  it.each([[[]], [['clock']], [['clock.in', 'clock.in']], ['clock.in']])('event types are not %j', async (types) => {
    expect(await add({ event_types: types })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

describe.each(oneDialect)('the pages of the event list on %s', (dialect) => {
  it('the pages of the event list follow each other by the cursor alone, also behind a position', async () => {
    const world = await createWorld(dialect);
    const page = (query: string) => world.call('GET', `/api/v1/events?limit=1&${query}`, { key: world.planner.key });
    await sendStamp(world, 'in');
    const { next_after: position } = (await page('')).body as { next_after: string };
    await sendStamp(world, 'out');
    await sendStamp(world, 'in');
    const firstPage = await page(`after=${position}`);
    const secondPage = await page(`cursor=${String(firstPage.body['next_cursor'])}`);
    expect([firstPage, secondPage]).toMatchObject([
      { status: 200, body: { data: [{ type: 'clock.out' }], has_more: true } },
      { status: 200, body: { data: [{ type: 'clock.in' }], has_more: false } },
    ]);
    await world.close();
  });
});
