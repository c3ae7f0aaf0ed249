/**
 * Random operations through every entry point: what is pulled is what the webhook and the socket received, what the audit
 * log says, and what is in the database.
 */
import { dialects } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addExtension } from '../src/access/integrations/extensions.js';
import { type Browser, factorKeysOf, giveCredentials } from './browser.js';
import { installExtension } from './builders.js';
import { type Door, type HeldCard, issueBadge, openDoor } from './door.js';
import { feedPosition, settledPlace } from './feed.js';
import { addApp, link } from './linking.js';
import { randomOf } from './random.js';
import { type Receiver, startReceiver } from './receivers.js';
import { connect, type ReceivedEvent } from './websocket-client.js';
import { type Answer, createWorld, dataKey, type World } from './world.js';

const verbs = { in: 'in', out: 'out', 'break/start': 'break_start', 'break/end': 'break_end' } as const;
type Verb = keyof typeof verbs;

/** The state after a stamp; undefined where the rules refuse it. */
const nextStates: Readonly<Record<Verb, Readonly<Record<string, string | undefined>>>> = {
  in: { out: 'in' },
  out: { in: 'out', on_break: 'out' },
  'break/start': { in: 'on_break' },
  'break/end': { on_break: 'in' },
};

interface ExpectedEvent {
  readonly type: string;
  readonly person: number;
}

describe.each(dialects)('one sequence on %s', (dialect) => {
  const seeds = Array.from({ length: runs(dialect === 'postgres' ? 3 : 1) }, (_, index) => index + 1);
  let world: World;
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    world = await createWorld(dialect, { env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
  });
  afterEach(async () => {
    await receiver.close();
    await world.close();
  });

  it.each(seeds)('one sequence of random calls keeps every rule, seed %i', async (seed) => {
    const { ada, ben } = world.people;
    const people = [ada, ben];
    await giveCredentials(world, people, await factorKeysOf(world, dataKey));
    const app = await addApp(world, 'Pocket clock', { companyId: world.nord });
    const tokens = new Map<number, string>();
    const browsers = new Map<number, Browser>();
    const cards = new Map<number, HeldCard>();
    const door: Door = await openDoor(world, 'hall');
    for (const person of people) {
      const { access_token: token, browser } = await link(world, app, person, ['write:clock', 'write:absences']);
      tokens.set(person, token);
      browsers.set(person, browser);
      cards.set(person, await issueBadge(world, door, person, `04a1b2c3d4e5${person.toString(16).padStart(2, '0')}`));
    }
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      addExtension(
        write,
        { sealingKeys: world.service.sealingKeys, randomBytes: world.randomBytes, allowPrivateTargets: true },
        {
          name: 'Follower',
          mode: 'webhooks',
          acting: 'everyone',
          companyId: world.nord,
          scopes: ['read:clock_states', 'read:time_entries', 'read:leave_entries'],
          webhookUrl: `http://127.0.0.1:${receiver.port}/hook`,
        },
      ),
    );
    const board = await installExtension(world, {
      name: 'Board',
      mode: 'websocket',
      acting: 'everyone',
      companyId: world.nord,
      scopes: ['read:clock_states', 'read:time_entries', 'read:leave_entries'],
    });
    const [from, logPlace] = [await feedPosition(world.db), await settledPlace(world.db)];
    // It breaks now and then, and resumes from what it has handled.
    const socketEvents: ReceivedEvent[] = [];
    const follow = () =>
      connect(world.url, {
        key: board.key,
        after: socketEvents.at(-1)?.id ?? from,
        onEvent: (event) => void socketEvents.push(event),
      });
    let socket = await follow();

    const random = randomOf(seed);
    const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
    const states = new Map(people.map((person) => [person, 'out']));
    const absences = new Map<number, { readonly person: number; status: string }>();
    const expectedEvents: ExpectedEvent[] = [];
    let day = 1;

    const stampThrough: readonly ((person: number, verb: Verb) => Promise<Answer>)[] = [
      (person, verb) =>
        world.call('POST', `/api/v1/clock/${verb}`, { key: world.planner.key, body: { user_id: person } }),
      (person, verb) => world.call('POST', `/api/v1/clock/${verb}`, { key: tokens.get(person)!, body: {} }),
      (person, verb) => browsers.get(person)!.call('POST', `/app/me/clock/${verb}`),
      async (person, verb) => {
        const { body } = await door.hold(cards.get(person)!);
        return door.send('POST', '/api/v1/terminal/stamp', { session: body['session'], action: verbs[verb] });
      },
    ];
    for (let step = 0; step < 40; step++) {
      world.advance(61 * second);
      if (random(8) === 0) {
        socket.socket.terminate();
        socket = await follow();
      }
      const person = pick(people);
      if (random(4) > 0) {
        const verb = pick(Object.keys(verbs) as Verb[]);
        const { status } = await pick(stampThrough)(person, verb);
        const state = nextStates[verb][states.get(person)!];
        expect([step, verb, status === 200]).toEqual([step, verb, state !== undefined]);
        if (state === undefined) continue;
        states.set(person, state);
        expectedEvents.push({ type: `clock.${verbs[verb]}`, person });
      } else {
        const usesLink = random(2) === 0;
        const key = usesLink ? tokens.get(person)! : world.planner.key;
        const waitingAbsences = [...absences].filter(
          ([, absence]) => absence.status === 'waiting' && absence.person === person,
        );
        const withdrawal = waitingAbsences.find(() => random(2) === 0);
        if (withdrawal === undefined) {
          const date = `2027-03-${String(day++).padStart(2, '0')}`;
          const { status, body } = await world.call('POST', '/api/v1/absences', {
            key,
            body: { ...(usesLink ? {} : { user_id: person }), type: 'vacation', start_date: date, end_date: date },
          });
          expect([step, status]).toEqual([step, 201]);
          absences.set(body['id'] as number, { person, status: 'waiting' });
          expectedEvents.push({ type: 'leave.requested', person });
        } else {
          const { status } = await browsers.get(person)!.call('DELETE', `/app/me/absences/${withdrawal[0]}`);
          expect([step, status]).toEqual([step, 200]);
          withdrawal[1].status = 'withdrawn';
          expectedEvents.push({ type: 'leave.withdrawn', person });
        }
      }
    }
    // A pass may leave what became due while it ended to the next one.
    for (let pass = 0; pass < 10 && receiver.received.length < expectedEvents.length; pass++) await world.deliver();

    // The heartbeat ended the last one: minutes have passed without a word of it.
    socket.socket.terminate();
    socket = await follow();
    await socket.until(() => socketEvents.length >= expectedEvents.length);
    socket.socket.terminate();

    const feedEvents = (await world.call('GET', `/api/v1/events?after=${from}&limit=500`, { key: world.planner.key }))
      .body['data'] as { readonly type: string; readonly sequence: number; readonly data: Record<string, unknown> }[];
    const personOf = (data: Record<string, unknown>) =>
      ((data['clock_state'] ?? data) as { readonly user_id: number }).user_id;
    expect(feedEvents.map(({ type, data }) => ({ type, person: personOf(data) }))).toEqual(expectedEvents);

    expect(socketEvents).toEqual(feedEvents);
    const webhookEvents = receiver.received.map(({ body }) => JSON.parse(body) as (typeof feedEvents)[number]);
    expect([...webhookEvents].sort((left, right) => left.sequence - right.sequence)).toEqual(feedEvents);
    for (const person of people) {
      const order = webhookEvents.filter(({ data }) => personOf(data) === person).map(({ sequence }) => sequence);
      expect(order).toEqual([...order].sort((left, right) => left - right));
    }

    const entries = await world.db.all<{ readonly action: string }>(
      "SELECT action FROM audit_entries WHERE sequence > :logged AND (action LIKE 'clock.%' OR action LIKE 'absence.%') ORDER BY sequence",
      { logged: logPlace },
    );
    expect(entries.map(({ action }) => action.replace('absence.', 'leave.'))).toEqual(
      expectedEvents.map(({ type }) => type),
    );

    for (const [person, state] of states)
      expect([
        person,
        (await world.db.get<{ state: string }>('SELECT state FROM clock_states WHERE person_id = :person', { person }))
          ?.state ?? 'out',
      ]).toEqual([person, state]);
    expect(
      (await world.db.all<{ id: number; status: string }>('SELECT id, status FROM absences ORDER BY id')).map(
        ({ id, status }) => [id, status],
      ),
    ).toEqual([...absences].map(([id, { status }]) => [id, status]));
  });
});
