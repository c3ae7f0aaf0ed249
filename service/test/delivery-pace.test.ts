/** Deliveries give way to people's requests while the process is busy; their outcomes are recorded soon all the same. */
import type { ServerResponse } from 'node:http';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { addExtension } from '../src/integrations/extensions.js';
import { addPerson } from '../src/people/people.js';
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
beforeEach(async () => {
  now = 0;
  busy = 1;
  answered = Infinity;
  hung = [];
  receiver = await startReceiver((response) => {
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
  now = 600;
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
