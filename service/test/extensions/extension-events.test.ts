/** What the page of an extension shows as it happens, and a test event for those that hold connections. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { formatInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { settledPosition } from '../../src/store/position.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { installExtension, sendStamp } from '../builders.js';
import { feedPositionOf, settledPlace } from '../feed.js';
import { connect, type SocketClient } from '../websocket-client.js';
import { createWorld, type World } from '../world.js';

describe.each(oneDialect)('the events of an extension on its page, on %s', (dialect) => {
  let world: World;
  let root: Browser;
  let board: AddedExtension;
  let client: SocketClient | undefined;
  beforeEach(async () => {
    world = await createWorld(dialect);
    root = await world.as(await addSuperAdmin(world));
    board = await add({ companyId: world.nord });
  });
  afterEach(async () => {
    client?.socket.terminate();
    client = undefined;
    await world.close();
  });

  const add = (overrides: object) => installExtension(world, { name: 'Board', mode: 'websocket', ...overrides });
  const follow = (query = '', id = board.id) => root.call('GET', `/app/admin/extensions/${id}/events${query}`);
  const ping = (id = board.id) => root.call('POST', `/app/admin/extensions/${id}/ping`);
  const stamp = (verb: string, user: number) => sendStamp(world, verb, user);
  const listEvents = async (key = board.key) =>
    (await world.call('GET', '/api/v1/events', { key })).body['data'] as Record<string, unknown>[];

  it('the page of an extension starts at the head of the feed, and then lists events it may read', async () => {
    await stamp('in', world.people.ada);
    const place = await settledPlace(world.db);
    const emptyPage = await follow();
    expect(emptyPage).toMatchObject({ status: 200, body: { data: [], has_more: false } });
    const head = emptyPage.body['next_after'] as number;
    // Every transaction moves it, also one that changes nothing here.
    expect(head).toBeGreaterThanOrEqual(place);
    await stamp('in', world.people.ben);
    await stamp('out', world.people.ben);
    await stamp('in', world.people.zoe);
    const events = (await listEvents()).slice(-2);
    const shownEvents = events.map((event) => {
      const { id, type, sequence, timestamp } = event;
      return { id, type, sequence, timestamp, person: 'Ben Kurz', payload: JSON.stringify(event) };
    });
    const fullPage = await follow(`?after=${head}`);
    expect(fullPage).toMatchObject({ status: 200, body: { data: shownEvents, has_more: false } });
    const newHead = fullPage.body['next_after'] as number;
    expect(newHead).toBeGreaterThanOrEqual(shownEvents[1]!.sequence as number);
    const firstPage = (await follow(`?after=${head}&limit=1`)).body;
    expect(firstPage).toEqual({ data: shownEvents.slice(0, 1), next_after: shownEvents[0]!.sequence, has_more: true });
    expect((await follow(`?after=${newHead}`)).body).toMatchObject({ data: [], has_more: false });
    expect(await follow(`?after=${2 ** 52}`)).toMatchObject({ status: 410, body: { code: 'history_changed' } });
    expect(await follow('', 'ext_Nobody')).toMatchObject({ status: 404 });
  });

  it('the page of an extension lists events of its chosen types, within its permissions', async () => {
    await root.call('PATCH', `/app/admin/extensions/${board.id}`, { body: { event_types: ['clock.out'] } });
    const head = await settledPlace(world.db);
    await stamp('in', world.people.ada);
    await stamp('out', world.people.ada);
    const types = async () =>
      ((await follow(`?after=${head}`)).body['data'] as { type: string }[]).map(({ type }) => type);
    expect(await types()).toEqual(['clock.out']);
    expect(await ping()).toMatchObject({ status: 200 });
    expect(await types()).toEqual(['clock.out', 'ping']);
    await root.call('PATCH', `/app/admin/extensions/${board.id}`, { body: { scopes: ['read:clock_states'] } });
    expect(await types()).toEqual(['ping']);
  });

  it('the page of an extension lists a test event, which open connections receive like any other', async () => {
    await root.call('PATCH', `/app/admin/extensions/${board.id}`, { body: { event_types: ['clock.out'] } });
    client = await connect(world.url, { key: board.key });
    await client.until(({ messages }) => messages.length > 0);
    // A connection is noted once it is open.
    const connections = async () => (await root.call('GET', `/app/admin/extensions/${board.id}/connections`)).body;
    while (((await connections())['data'] as unknown[]).length === 0);
    const at = formatInstant(world.now());
    const { status, body } = await ping();
    const id = body['event_id'];
    expect({ status, body }).toEqual({ status: 200, body: { outcome: 'queued', event_id: id, connections: 1 } });
    await client.until((connection) => connection.events().length === 1);
    const { sequence, epoch } = client.events()[0]!;
    expect(feedPositionOf({ epoch, place: sequence })).toBe(id);
    const event = {
      id,
      type: 'ping',
      timestamp: at,
      sequence,
      epoch,
      company_id: world.nord,
      data: { extension: { id: board.id, name: 'Board' } },
    };
    expect(client.events()).toEqual([event]);
    expect(await listEvents()).toEqual([event]);
    // Nobody else's.
    expect(await listEvents(world.reader.key)).toEqual([]);
    expect(
      await world.db.all('SELECT action, subject, details FROM audit_entries ORDER BY sequence DESC LIMIT 1'),
    ).toEqual([
      { action: 'extension.pinged', subject: `extension ${board.id}`, details: JSON.stringify({ event: id }) },
    ]);
  });

  it('the page of an extension without a company lists its test event, also for later connections', async () => {
    const roamingBoard = await add({});
    const position = feedPositionOf(await settledPosition(world.db));
    const { body } = await ping(roamingBoard.id);
    expect(body).toEqual({ outcome: 'queued', event_id: body['event_id'], connections: 0 });
    client = await connect(world.url, { key: roamingBoard.key, after: position });
    await client.until((connection) => connection.events().length === 1);
    expect(client.events()[0]).not.toHaveProperty('company_id');
    // The people of this file were added before.
    const events = (await listEvents(roamingBoard.key)) as { type: string }[];
    expect(events.filter(({ type }) => type !== 'user.created')).toEqual(client.events());
  });

  it('an extension may send five test events a minute', async () => {
    for (let count = 0; count < 5; count++) expect((await ping()).status).toBe(200);
    expect(await ping()).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(await listEvents()).toHaveLength(5);
  });
});
