/** Webhooks: which events go out, in what order, and what happens when the address does not take them. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Parameters } from '@clockproof/platform/database/database';
import { silentLog } from '@clockproof/platform/log';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour, minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { dueDeliveries, insertDeliveries, lockEndpoint } from '../../src/extensions/webhooks/delivery-rows.js';
import { recordPerson } from '../../src/people/people.js';
import type { ExtensionId } from '../../src/store/ids.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { sendStamp } from '../builders.js';
import { consent, exchange, redirectUri } from '../linking.js';
import { type Answering, closedPort, type Receiver, startReceiver } from '../receivers.js';
import { createWorld, type World } from '../world.js';

describe.each(dialects)('deliveries on %s', (dialect) => {
  let world: World;
  let root: Browser;
  let rootId: number;
  const receivers: Receiver[] = [];
  beforeEach(async () => {
    world = await createWorld(dialect, {
      env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', RATE_API_PER_MINUTE: '10000' },
    });
    rootId = await addSuperAdmin(world);
    root = await world.as(rootId);
  });
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
    await world.close();
  });

  const openReceiver = async (answer?: Answering) => {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  };
  const settingsWithoutCompany = { company_id: undefined, acting: 'personal_link', key_reads: 'everyone' };
  let count = 0;
  const subscribe = async (port: number, overrides: object = {}) => {
    const answer = await root.call('POST', '/app/admin/extensions', {
      body: {
        name: `Hooks ${++count}`,
        mode: 'webhooks',
        acting: 'everyone',
        company_id: world.nord,
        scopes: ['read:clock_states', 'read:time_entries', 'read:leave_entries'],
        webhook_url: `http://127.0.0.1:${port}/hook`,
        ...overrides,
      },
    });
    expect(answer).toMatchObject({ status: 201 });
    const { id, client_id: clientId } = answer.body['extension'] as { id: string; client_id: string };
    const app = { id, clientId, key: answer.body['key'] as string } as AddedExtension;
    return { id, app, secret: answer.body['webhook_secret'] as string, path: `/app/admin/extensions/${id}` };
  };
  const stamp = (verb: string, person: number) => sendStamp(world, verb, person);
  const eventsAt = (receiver: Receiver) =>
    receiver.received.map(
      ({ body }) => JSON.parse(body) as { id: string; type: string; data: { clock_state: { user_id: number } } },
    );
  const deliveriesOf = async (path: string, query = '') =>
    (await root.call('GET', `${path}/deliveries${query}`)).body['data'] as {
      event_id: string;
      type: string;
      state: string;
      next_attempt_at?: string;
      attempts: { at: string; outcome: string; status?: number; answer?: string; duration_milliseconds?: number }[];
    }[];
  const stateOf = async (path: string) =>
    ((await root.call('GET', path)).body as { delivery: Record<string, unknown> }).delivery;
  /** A session of the admin ends after half a day without use. */
  const advanceAndSignIn = async (milliseconds: number) => {
    world.advance(milliseconds);
    root = await world.as(rootId);
  };

  it('deliveries send each event, signed, exactly as the event list has it', async () => {
    const receiver = await openReceiver();
    const { secret, path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await stamp('out', world.people.ada);
    await world.deliver();
    const eventList = await world.call('GET', '/api/v1/events?types=clock.in,clock.out', { key: world.planner.key });
    expect(eventsAt(receiver)).toEqual(eventList.body['data']);
    expect(eventsAt(receiver).map((event) => event.type)).toEqual(['clock.in', 'clock.out']);
    const now = jest.spyOn(Date, 'now').mockReturnValue(world.now());
    for (const { headers, body } of receiver.received) {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(headers['webhook-id']).toBe((JSON.parse(body) as { id: string }).id);
    }
    now.mockRestore();
    expect(await deliveriesOf(path)).toMatchObject([
      { type: 'clock.out', state: 'delivered', attempts: [{ outcome: 'delivered', status: 204 }] },
      { type: 'clock.in', state: 'delivered', attempts: [{ outcome: 'delivered', status: 204 }] },
    ]);
    expect(await stateOf(path)).toEqual({ state: 'ok', waiting: 0, last_delivered_at: formatInstant(world.now()) });
    await world.deliver();
    expect(receiver.received).toHaveLength(2);
  });

  it('deliveries begin with the first event after the address was set, without unreadable ones', async () => {
    const [clockReceiver, leaveReceiver, suedReceiver] = [
      await openReceiver(),
      await openReceiver(),
      await openReceiver(),
    ];
    await stamp('in', world.people.ada);
    await subscribe(clockReceiver.port, { scopes: ['read:clock_states'] });
    await subscribe(leaveReceiver.port, { scopes: ['read:leave_entries'] });
    await subscribe(suedReceiver.port, { company_id: world.sued });
    await stamp('out', world.people.ada);
    await stamp('in', world.people.zoe);
    await world.deliver();
    expect(
      [clockReceiver, leaveReceiver, suedReceiver].map((receiver) => eventsAt(receiver).map(({ type }) => type)),
    ).toEqual([[], [], ['clock.in']]);
  });

  it('deliveries stop for pending events when the key loses the permission', async () => {
    let isAccepting = false;
    const receiver = await openReceiver((response) => void response.writeHead(isAccepting ? 204 : 500).end());
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await world.deliver();
    isAccepting = true;
    await root.call('PATCH', path, { body: { scopes: ['read:leave_entries'] } });
    world.advance(minute);
    await world.deliver();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveriesOf(path)).toMatchObject([{ state: 'failed', attempts: [{ status: 500 }] }]);
  });

  it('deliveries wait while the company is deactivated', async () => {
    let isAccepting = false;
    const receiver = await openReceiver((response) => void response.writeHead(isAccepting ? 204 : 500).end());
    await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await world.deliver();
    expect(receiver.received).toHaveLength(1);
    isAccepting = true;
    const company = `/app/admin/companies/${world.nord}`;
    expect(await root.call('PATCH', company, { body: { active: false } })).toMatchObject({ status: 200 });
    await advanceAndSignIn(hour);
    await world.deliver();
    expect(receiver.received).toHaveLength(1);
    expect(await root.call('PATCH', company, { body: { active: true } })).toMatchObject({ status: 200 });
    await world.deliver();
    expect(eventsAt(receiver).map(({ type }) => type)).toEqual(['clock.in', 'clock.in']);
  });

  const setActive = async (company: number, active: boolean) => {
    root = await world.as(rootId);
    expect(await root.call('PATCH', `/app/admin/companies/${company}`, { body: { active } })).toMatchObject({
      status: 200,
    });
  };

  it("deliveries of an extension without a company wait for the event's company, and lose nothing", async () => {
    let isAccepting = false;
    const receiver = await openReceiver((response) => void response.writeHead(isAccepting ? 204 : 500).end());
    const { path } = await subscribe(receiver.port, settingsWithoutCompany);
    await stamp('in', world.people.ada);
    await world.deliver();
    // Not turned into a delivery before the company is deactivated.
    await stamp('in', world.people.ben);
    await setActive(world.nord, false);
    isAccepting = true;
    world.advance(hour);
    await stamp('in', world.people.zoe);
    await world.deliver();
    expect(eventsAt(receiver).map(({ data }) => data.clock_state.user_id)).toEqual([
      world.people.ada,
      world.people.zoe,
    ]);
    await advanceAndSignIn(0);
    expect(await stateOf(path)).toMatchObject({ state: 'ok', waiting: 2 });
    await setActive(world.nord, true);
    world.advance(hour);
    await world.deliver();
    // Each once, side by side.
    const laterEvents = eventsAt(receiver).slice(2);
    expect(laterEvents.map(({ data }) => data.clock_state.user_id).sort()).toEqual([
      world.people.ada,
      world.people.ben,
    ]);
  });

  it('deliveries report ended links at once, although other events of the person wait for the company', async () => {
    let isAccepting = false;
    const receiver = await openReceiver((response) => void response.writeHead(isAccepting ? 204 : 500).end());
    const linkSettings = { linking: true, redirect_uris: [redirectUri] };
    const { app } = await subscribe(receiver.port, { ...settingsWithoutCompany, ...linkSettings });
    const code = await consent(await world.as(world.people.ada), app, ['read:clock_states']);
    expect(await exchange(world, app, code)).toMatchObject({ status: 200 });
    await stamp('in', world.people.ada);
    await world.deliver();
    await setActive(world.nord, false);
    isAccepting = true;
    world.advance(hour);
    await world.deliver();
    expect(eventsAt(receiver).map(({ type }) => type)).toEqual(['clock.in', 'link.ended']);
  });

  it.each([
    ['an extension of the company', true],
    ['an extension of no company', false],
  ])('deliveries under way to %s stop once the company is deactivated', async (_, hasCompany) => {
    const releases: (() => void)[] = [];
    const receiver = await openReceiver(
      (response) => new Promise<void>((resolve) => releases.push(() => resolve(void response.writeHead(204).end()))),
    );
    const { path } = await subscribe(receiver.port, hasCompany ? {} : settingsWithoutCompany);
    await stamp('in', world.people.ada);
    await stamp('out', world.people.ada);
    const passes = [world.deliver()];
    while (releases.length === 0) await world.db.get('SELECT 1 AS one');
    // Both are taken up: another look wakes the endpoint.
    while ((await world.db.all('SELECT 1 AS one FROM webhook_deliveries')).length < 2) {
      passes.push(world.deliver());
      await pause(10);
    }
    await setActive(world.nord, false);
    releases[0]!();
    await Promise.all(passes);
    expect(receiver.received).toHaveLength(1);
    expect((await deliveriesOf(path)).map(({ state }) => state)).toEqual(['pending', 'delivered']);
    await setActive(world.nord, true);
    const nextPass = world.deliver();
    while (releases.length < 2) await world.db.get('SELECT 1 AS one');
    releases[1]!();
    await nextPass;
    expect(eventsAt(receiver).map(({ type }) => type)).toEqual(['clock.in', 'clock.out']);
  });

  it('deliveries repeat a failed attempt with the same id until accepted, in order for a person', async () => {
    let isFailing = true;
    const receiver = await openReceiver((response, { body }) => {
      const isRefused = isFailing && body.includes(`"user_id":${world.people.ada},`);
      response.writeHead(isRefused ? 503 : 200).end(isRefused ? 'try later' : 'ok');
    });
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await stamp('out', world.people.ada);
    await stamp('in', world.people.ben);
    await world.deliver();
    const typesOf = (person: number) =>
      eventsAt(receiver)
        .filter(({ data }) => data.clock_state.user_id === person)
        .map(({ type }) => type);
    // Ben does not wait for Ada.
    expect([typesOf(world.people.ada), typesOf(world.people.ben)]).toEqual([['clock.in'], ['clock.in']]);
    expect(await stateOf(path)).toMatchObject({ waiting: 2 });
    const [queuedDelivery, failedDelivery] = await deliveriesOf(path, '?state=pending');
    const next_attempt_at = formatInstant(world.now() + 5 * second);
    expect(failedDelivery).toMatchObject({
      type: 'clock.in',
      next_attempt_at,
      attempts: [{ outcome: 'refused', status: 503, answer: 'try later' }],
    });
    expect(failedDelivery).not.toHaveProperty('behind');
    expect(queuedDelivery).toMatchObject({ type: 'clock.out', behind: failedDelivery!.event_id, next_attempt_at });
    world.advance(4 * second);
    await world.deliver();
    expect(typesOf(world.people.ada)).toHaveLength(1);
    world.advance(second);
    await world.deliver();
    isFailing = false;
    world.advance(5 * minute);
    await world.deliver();
    expect(typesOf(world.people.ada)).toEqual(['clock.in', 'clock.in', 'clock.in', 'clock.out']);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    expect(await stateOf(path)).toMatchObject({ state: 'ok', waiting: 0 });
    expect((await deliveriesOf(path)).at(-1)!.attempts.map(({ outcome }) => outcome)).toEqual([
      'delivered',
      'refused',
      'refused',
    ]);
  });

  it('deliveries stop after ten attempts over three days, and continue with the next event', async () => {
    const receiver = await openReceiver((response, { body }) => {
      response.writeHead(body.includes('"type":"clock.in"') ? 500 : 204).end();
    });
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await stamp('out', world.people.ada);
    const start = world.now();
    for (let attempt = 1; attempt <= 10; attempt++) {
      await world.deliver();
      if (attempt === 10) break;
      expect(receiver.received).toHaveLength(attempt);
      const { at } = (await world.db.get<{ at: number }>(
        'SELECT min(next_attempt_at) AS at FROM webhook_deliveries WHERE tries > 0',
      ))!;
      world.set(at);
    }
    expect(world.now() - start).toBeGreaterThan(3 * day - hour);
    expect(eventsAt(receiver).map(({ type }) => type)).toEqual([...Array<string>(10).fill('clock.in'), 'clock.out']);
    await advanceAndSignIn(0);
    expect((await deliveriesOf(path)).map(({ type, state }) => [type, state])).toEqual([
      ['clock.out', 'delivered'],
      ['clock.in', 'failed'],
    ]);
  });

  it('deliveries wait as long as Retry-After asks, but no longer than a day', async () => {
    const answers = ['600', String(365 * 86_400)];
    const receiver = await openReceiver((response) => {
      response.writeHead(429, { 'retry-after': answers.shift() ?? '0' }).end();
    });
    await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    const attempts: number[] = [];
    for (const pause of [0, 599 * second, second, day - second, second]) {
      world.advance(pause);
      await world.deliver();
      attempts.push(receiver.received.length);
    }
    expect(attempts).toEqual([1, 1, 2, 2, 3]);
  });

  it.each([
    ['at once after 410', 410, [0], 'gone'],
    ['after five days of failures', 500, [0, 2 * day, 2 * day, day], 'failing'],
  ] as const)('deliveries are disabled %s, as page and audit log show', async (_, status, pauses, reason) => {
    const receiver = await openReceiver((response) => void response.writeHead(status).end());
    const { path, id } = await subscribe(receiver.port);
    for (const pause of pauses) {
      world.advance(pause);
      await stamp(pause === pauses[0] ? 'in' : 'break/start', world.people.ada).catch(() => undefined);
      await world.deliver();
    }
    await advanceAndSignIn(0);
    expect(await stateOf(path)).toMatchObject({ state: 'disabled', disabled_because: reason, waiting: 0 });
    const requestCount = receiver.received.length;
    await stamp('in', world.people.ben);
    world.advance(day);
    await world.deliver();
    expect(receiver.received).toHaveLength(requestCount);
    await advanceAndSignIn(0);
    const entries = (await root.call('GET', '/app/admin/audit?from=2026-11-01&to=2026-12-31&action=extension.')).body[
      'data'
    ] as { action: string; subject: { id: string } }[];
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'extension.webhooks_disabled',
        subject: expect.objectContaining({ id }),
      }),
    );
    expect((await root.call('GET', '/app/notices')).body['data']).toContainEqual(
      expect.objectContaining({
        kind: 'webhooks_disabled',
        extension: expect.objectContaining({ id }),
        because: reason,
      }),
    );
  });

  it('super admins get one notice each about disabled deliveries, until it is read', async () => {
    const ruthId = await world.write(async (write) => {
      const id = await recordPerson(write, {
        companyId: world.sued,
        firstName: 'Ruth',
        lastName: 'Root',
        email: 'ruth@clockproof.example',
        role: 'super_admin',
        language: 'de',
      });
      return id;
    });
    const receiver = await openReceiver((response) => void response.writeHead(410).end());
    const { id } = await subscribe(receiver.port);
    const noticesOf = async (browser: Browser) => (await browser.call('GET', '/app/notices')).body;
    expect(await noticesOf(root)).toMatchObject({ data: [], unread: 0 });
    await stamp('in', world.people.ada);
    await stamp('in', world.people.ben);
    await world.deliver();
    const noticeAt = world.now();
    const expectedNotice = {
      kind: 'webhooks_disabled',
      at: formatInstant(noticeAt),
      extension: { id, name: expect.stringMatching(/^Hooks/) },
      because: 'gone',
    };
    const ruth = await world.as(ruthId);
    for (const admin of [root, ruth])
      expect(await noticesOf(admin)).toMatchObject({
        data: [{ ...expectedNotice, id: expect.any(Number) }],
        unread: 1,
      });
    expect(await noticesOf(await world.as(world.people.ada))).toMatchObject({ data: [], unread: 0 });

    const [notice] = (await noticesOf(root))['data'] as { id: number; read_at?: string }[];
    const markRead = (browser: Browser) => browser.call('POST', '/app/notices/read', { body: { ids: [notice!.id] } });
    // Of somebody else: nothing happens.
    expect((await markRead(ruth)).status).toBe(204);
    expect(await noticesOf(root)).toMatchObject({ unread: 1 });
    world.advance(minute);
    expect((await markRead(root)).status).toBe(204);
    const readAt = formatInstant(world.now());
    world.advance(minute);
    await markRead(root);
    expect(await noticesOf(root)).toMatchObject({ data: [{ read_at: readAt }], unread: 0 });
    expect(await noticesOf(ruth)).toMatchObject({ unread: 1 });
    expect(await root.call('GET', '/app/notices?limit=1')).toMatchObject({ status: 200, body: { has_more: false } });

    const { purgeExpired } = await import('../../src/housekeeping.js');
    const purge = () => purgeExpired(world.service.store, world.now(), silentLog);
    world.set(noticeAt + 90 * day);
    expect(await purge()).toMatchObject({ notices: 0 });
    world.advance(1);
    expect(await purge()).toMatchObject({ notices: 2 });
  });

  it('deliveries show the sent request, without the signature', async () => {
    const receiver = await openReceiver();
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    const { path: laterPath } = await subscribe(receiver.port);
    const eventList = await world.call('GET', '/api/v1/events?types=clock.in', { key: world.planner.key });
    const { id } = (eventList.body['data'] as { id: string }[])[0]!;
    world.advance(1_500);
    await world.deliver();
    const detail = await root.call('GET', `${path}/deliveries/${id}`);
    const [receivedRequest] = receiver.received;
    const { request } = detail.body as { request: { headers: { name: string; value: string }[]; body: string } };
    expect(detail).toMatchObject({ status: 200, body: { delivery: { event_id: id, state: 'delivered' } } });
    expect(request.body).toBe(receivedRequest!.body);
    for (const { name, value } of request.headers)
      expect([name, receivedRequest!.headers[name]]).toEqual([name, value]);
    expect(request.headers.map(({ name }) => name)).toEqual([
      'content-type',
      'user-agent',
      'accept-encoding',
      'webhook-id',
      'webhook-timestamp',
    ]);
    for (const unknownPath of [`${path}/deliveries/evt_${'9'.repeat(22)}`, `${laterPath}/deliveries/${id}`])
      expect(await root.call('GET', unknownPath)).toMatchObject({ status: 404 });
  });

  it('a recovery enables deliveries, and sends failed and later events in order', async () => {
    let isGone = true;
    const receiver = await openReceiver((response) => void response.writeHead(isGone ? 410 : 204).end());
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await world.deliver();
    await stamp('out', world.people.ada);
    await world.deliver();
    isGone = false;
    const since = formatInstant(world.now() - hour);
    const preview = async () => (await root.call('GET', `${path}/recovery?since=${since}`)).body;
    expect(await preview()).toEqual({ deliveries: 2 });
    expect(await stateOf(path)).toMatchObject({ state: 'disabled' });
    expect(await root.call('POST', `${path}/recovery`, { body: { since } })).toMatchObject({
      status: 202,
      body: { deliveries: 2 },
    });
    expect(await preview()).toEqual({ deliveries: 0 });
    await world.deliver();
    expect(eventsAt(receiver).map(({ type }) => type)).toEqual(['clock.in', 'clock.in', 'clock.out']);
    expect(await stateOf(path)).toMatchObject({ state: 'ok', waiting: 0 });
    const earliestSince = formatInstant(world.now() - 30 * day);
    expect(await root.call('GET', `${path}/recovery?since=${earliestSince}`)).toMatchObject({ status: 200 });
    for (const invalidSince of [formatInstant(world.now() - 30 * day - 1), formatInstant(world.now() + 1)]) {
      expect(await root.call('POST', `${path}/recovery`, { body: { since: invalidSince } })).toMatchObject({
        status: 400,
      });
      expect(await root.call('GET', `${path}/recovery?since=${invalidSince}`)).toMatchObject({ status: 400 });
    }
  });

  it('deliveries take up every event, for any number of feed pages', async () => {
    const { path } = await subscribe(await closedPort());
    await stamp('in', world.people.ada);
    await world.db.write((tx) =>
      tx.run(
        `INSERT INTO events (sequence, epoch, type, at, company_id, person_id, payload)
         WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 1000)
         SELECT sequence + n, epoch, type, at, company_id, person_id, payload FROM events, more WHERE type = 'clock.in'`,
      ),
    );
    await stamp('out', world.people.ada);
    const since = formatInstant(world.now() - hour);
    const { body } = await root.call('POST', `${path}/recovery`, { body: { since } });
    expect(body).toEqual({ deliveries: 1_002 });
  });

  it('deliveries stay enabled when an attempt from before the recovery fails after it', async () => {
    const responses: ServerResponse[] = [];
    const receiver = await openReceiver((response) => {
      if (responses.push(response) > 2) response.writeHead(204).end();
    });
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await stamp('in', world.people.ben);
    const pass = world.deliver();
    while (responses.length < 2) await pause(5);
    responses[0]!.writeHead(410).end();
    while ((await stateOf(path))['state'] !== 'disabled') await pause(5);
    world.advance(1_000);
    const since = formatInstant(world.now() - hour);
    expect(await root.call('POST', `${path}/recovery`, { body: { since } })).toMatchObject({ body: { deliveries: 2 } });
    responses[1]!.writeHead(410).end();
    await pass;
    await world.deliver();
    expect(await stateOf(path)).toMatchObject({ state: 'ok', waiting: 0 });
    expect(eventsAt(receiver)).toHaveLength(4);
  });

  it('a resent delivery has the id of the event', async () => {
    const receiver = await openReceiver();
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await world.deliver();
    const eventId = (await deliveriesOf(path))[0]!.event_id;
    expect(await root.call('POST', `${path}/deliveries/${eventId}/resend`)).toMatchObject({
      status: 202,
      body: { event_id: eventId, state: 'pending' },
    });
    await world.deliver();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
    expect(await root.call('POST', `${path}/deliveries/evt_${'9'.repeat(22)}/resend`)).toMatchObject({ status: 404 });
  });

  it('deliveries do not wait for an address that hangs', async () => {
    const releases: (() => void)[] = [];
    const hangingReceiver = await openReceiver(
      (response) => new Promise<void>((resolve) => releases.push(() => resolve(void response.writeHead(204).end()))),
    );
    const quickReceiver = await openReceiver();
    await subscribe(hangingReceiver.port);
    await subscribe(quickReceiver.port);
    await stamp('in', world.people.ada);
    const pass = world.deliver();
    const leases = async () =>
      (await world.db.get<{ n: number }>('SELECT count(lease_holder) AS n FROM webhook_endpoints'))!.n;
    // The quick address has taken its event and is done; the first pass still waits for the one that hangs.
    while ((await leases()) > 1 || releases.length === 0 || quickReceiver.received.length === 0);
    await stamp('out', world.people.ada);
    const nextPass = world.deliver();
    while (quickReceiver.received.length < 2) await leases();
    expect(hangingReceiver.received).toHaveLength(1);
    releases[0]!();
    while (releases.length < 2) await leases();
    releases[1]!();
    await Promise.all([pass, nextPass]);
  });

  it('deliveries are not retried if the extension leaves webhook mode during an attempt', async () => {
    let answer = () => {};
    const receiver = await openReceiver(
      (response) => new Promise<void>((resolve) => (answer = () => resolve(void response.writeHead(500).end()))),
    );
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    const pass = world.deliver();
    while (receiver.received.length === 0) await world.db.get('SELECT 1 AS one');
    await root.call('PATCH', path, { body: { mode: 'api' } });
    answer();
    await pass;
    expect(await deliveriesOf(path)).toMatchObject([{ state: 'failed', attempts: [{ status: 500 }] }]);
    await root.call('PATCH', path, {
      body: { mode: 'webhooks', webhook_url: `http://127.0.0.1:${receiver.port}/hook` },
    });
    world.advance(minute);
    await world.deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it('deliveries disclose of an unreachable address only that it is unreachable', async () => {
    const { path } = await subscribe(await closedPort());
    await stamp('in', world.people.ada);
    await world.deliver();
    expect((await deliveriesOf(path))[0]!.attempts).toEqual([
      { at: formatInstant(world.now()), outcome: 'unreachable' },
    ]);
  });

  it('deliveries are purged with their attempts after 30 days', async () => {
    const receiver = await openReceiver();
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await world.deliver();
    const { purgeExpired } = await import('../../src/housekeeping.js');
    const purge = () => purgeExpired(world.service.store, world.now(), silentLog);
    world.advance(30 * day);
    expect(await purge()).toMatchObject({ deliveries: 0 });
    world.advance(1);
    expect(await purge()).toMatchObject({ deliveries: 1 });
    await advanceAndSignIn(0);
    expect(await deliveriesOf(path)).toEqual([]);
    expect(await world.db.all('SELECT * FROM webhook_attempts')).toEqual([]);
  });

  it('deliveries end when the extension leaves webhook mode, and begin with the next event on return', async () => {
    const receiver = await openReceiver((response) => void response.writeHead(500).end());
    const { path } = await subscribe(receiver.port);
    await stamp('in', world.people.ada);
    await world.deliver();
    await root.call('PATCH', path, { body: { mode: 'api' } });
    expect(await deliveriesOf(path)).toMatchObject([{ state: 'failed' }]);
    expect(await root.call('POST', `${path}/recovery`, { body: { since: formatInstant(world.now()) } })).toMatchObject({
      status: 403,
      body: { code: 'connection_mode_mismatch' },
    });
    await stamp('out', world.people.ada);
    await root.call('PATCH', path, {
      body: { mode: 'webhooks', webhook_url: `http://127.0.0.1:${receiver.port}/hook` },
    });
    await stamp('in', world.people.ben);
    world.advance(day);
    await world.deliver();
    expect(eventsAt(receiver).map(({ type, data }) => [type, data.clock_state.user_id])).toEqual([
      ['clock.in', world.people.ada],
      ['clock.in', world.people.ben],
    ]);
  });

  if (dialect === 'postgres')
    it('the first deliveries of their lanes are looked up by lane, not among all pending ones', async () => {
      const { id } = await subscribe(await closedPort());
      const rows = Array.from({ length: 500 }, (_, lane) => ({ sequence: lane + 1, lane, created_at: 0 }));
      await world.db.write((tx) => insertDeliveries(tx, id as ExtensionId, rows, world.now()));
      const plan: unknown[] = [];
      const all = async <R extends object>(sql: string, parameters?: Parameters) => {
        plan.push(...(await world.db.all(`EXPLAIN ${sql}`, parameters)));
        return [] as R[];
      };
      await dueDeliveries({ ...world.db, all }, id as ExtensionId, world.now(), 50);
      expect(JSON.stringify(plan)).toMatch(/webhook_deliveries_pending on webhook_deliveries earlier/);
    });

  if (dialect === 'postgres')
    it('deliveries queued by another process during a mode change are given up as well', async () => {
      const { id, path } = await subscribe(await closedPort());
      await stamp('in', world.people.ada);
      const lockWaits = () =>
        world.db.get(
          "SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
      let isModeChanged = false;
      let modeChange: Promise<unknown> | undefined;
      await world.db.write(async (tx) => {
        await lockEndpoint(tx, id);
        const event = await tx.get<{ sequence: number }>("SELECT sequence FROM events WHERE type = 'clock.in'");
        modeChange = root.call('PATCH', path, { body: { mode: 'api' } }).finally(() => {
          isModeChanged = true;
        });
        while (!isModeChanged && (await lockWaits()) === undefined);
        await insertDeliveries(tx, id, [{ sequence: event!.sequence, lane: 1, created_at: 0 }], world.now());
      });
      expect(await modeChange).toMatchObject({ status: 200 });
      expect(await deliveriesOf(path)).toMatchObject([{ state: 'failed' }]);
    });
});
