/** Deliveries give way to people's requests while the process is busy; their outcomes are recorded soon all the same. */
import type { ServerResponse } from 'node:http';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { EventRow } from '../src/events/rows.js';
import type { ExtensionId } from '../src/ids.js';
import { addExtension } from '../src/integrations/extensions.js';
import { addPerson } from '../src/people/people.js';
import { insert } from '../src/tables.js';
import { insertDeliveries } from '../src/webhooks/delivery-rows.js';
import { type Receiver, startReceiver } from './receivers.js';
import { createWorld, type World } from './world.js';

let world: World;
let receiver: Receiver;
let now: number;
let busy: number;
let people: number[];
/** So many requests are answered; later ones hang. */
let answered: number;
let hung: ServerResponse[];
/** Called with the number of requests so far. */
let onRequest: (count: number) => void;
beforeEach(async () => {
  now = 0;
  busy = 1;
  answered = Infinity;
  hung = [];
  onRequest = () => {};
  receiver = await startReceiver((response) => {
    onRequest(receiver.received.length);
    if (answered-- > 0) response.writeHead(204).end();
    else hung.push(response);
  });
  world = await createWorld(dialects[0]!, {
    env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' },
    pace: { now: () => now, utilization: () => busy, lasting: () => 0 },
  });
  const { randomBytes, service } = world;
  await service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
    people = [];
    for (let index = 0; index < 45; index++)
      people.push(
        await addPerson(write, {
          companyId: world.nord,
          firstName: 'P',
          lastName: String(index),
          role: 'employee',
          language: 'en',
        }),
      );
    for (const name of ['Door display', 'Payroll'])
      await addExtension(
        write,
        { sealingKeys: service.sealingKeys, randomBytes, allowPrivateTargets: true },
        {
          name,
          mode: 'webhooks',
          acting: 'everyone',
          companyId: world.nord,
          scopes: ['read:clock_states', 'read:time_entries'],
          webhookUrl: `http://127.0.0.1:${receiver.port}/`,
        },
      );
  });
});
afterEach(async () => {
  await receiver.close();
  await world.close();
});

/** Everybody clocks in, by one request each. */
const everybodyClocksIn = async () => {
  for (const user_id of people)
    expect(await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id } })).toMatchObject({
      status: 200,
    });
};
const arrived = async (count: number) => {
  while (receiver.received.length < count) await world.call('GET', '/api/v1/nothing');
};

it('endpoints take turns while requests wait for each other, and deliver everything afterwards', async () => {
  await everybodyClocksIn();
  now = 100;
  let isOver = false;
  const delivered = world.deliver().then(() => {
    isOver = true;
  });
  await arrived(45);
  for (let request = 0; request < 30; request++) await world.call('GET', '/api/v1/nothing');
  expect([receiver.received.length, isOver]).toEqual([45, false]);
  // The pause is over: the other one's turn.
  now = 500;
  await arrived(90);
  busy = 0.5;
  now = 700;
  await delivered;
  expect(receiver.received).toHaveLength(90);
});

it('deliveries are held back by no request where the process has time', async () => {
  busy = 0.5;
  await everybodyClocksIn();
  now = 100;
  await world.deliver();
  expect(receiver.received).toHaveLength(90);
});

it('what was delivered is recorded while all places hang', async () => {
  answered = 3;
  await everybodyClocksIn();
  const delivered = world.deliver();
  const recorded = () =>
    world.db.get<{ n: number }>("SELECT count(*) AS n FROM webhook_deliveries WHERE state = 'delivered'");
  while ((await recorded())!.n < 3 || hung.length < 10);
  expect(receiver.received).toHaveLength(13);
  answered = Infinity;
  for (const response of hung) response.writeHead(204).end();
  await delivered;
  expect((await recorded())!.n).toBe(90);
});

/** Events of so many people wait for one address. @returns the sizes of the batches that are read from now on */
async function queue(count: number): Promise<number[]> {
  await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: world.people.ada } });
  await world.deliver();
  const { store } = world.service;
  const event = (await store.get<EventRow>("SELECT * FROM events WHERE type = 'clock.in'"))!;
  const { extension_id: id } = (await store.get<{ extension_id: ExtensionId }>(
    'SELECT extension_id FROM webhook_endpoints',
  ))!;
  await world.db.write(async (tx) => {
    const rows = Array.from({ length: count }, (_, index) => {
      const sequence = event.sequence + 1 + index;
      return { ...event, sequence, lane: index + 1, created_at: event.at };
    });
    for (const { lane: _, created_at: __, ...row } of rows) await insert(tx, 'events', row);
    await insertDeliveries(tx, id, rows, world.now());
  });
  const sizes: number[] = [];
  const { all } = store;
  jest.spyOn(store, 'all').mockImplementation(async (sql, parameters) => {
    const rows = await all(sql, parameters);
    if (/^SELECT \* FROM events /.test(sql) && rows.length > 0) sizes.push(rows.length);
    return rows as never;
  });
  return sizes;
}

it('batches double while all is sent in time, and are small again where deliveries went stale', async () => {
  busy = 0;
  const sizes = await queue(500);
  let before: number | undefined;
  onRequest = (count) => {
    if (count !== 200) return;
    before = sizes.length;
    world.advance(300);
  };
  await world.deliver();
  expect(sizes.slice(0, 3)).toEqual([50, 100, 200]);
  expect(sizes.slice(before)).toContain(50);
  const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  // The first stamp, and what was queued.
  expect(new Set(ids).size).toBe(501);
});
