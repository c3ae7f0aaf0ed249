/** The event connection of extensions: what it carries, whom it refuses, and how it ends. */
import { dialects } from '@clockproof/platform/testing/databases';
import { formatInstant, hour, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import type { Scope } from '../../src/generated/contract.js';
import { settledPosition } from '../../src/store/position.js';
import { sealAll } from '../../src/store/seal.js';
import { addSuperAdmin } from '../browser.js';
import { installExtension, sendStamp } from '../builders.js';
import { feedPosition, feedPositionOf } from '../feed.js';
import { type ConnectOptions, connect, type Refused, type SocketClient } from '../websocket-client.js';
import { createWorld, type World } from '../world.js';

const readScopes: readonly Scope[] = ['read:clock_states', 'read:time_entries', 'read:leave_entries'];

describe.each(dialects)('the event connection on %s', (dialect) => {
  let world: World;
  let board: AddedExtension;
  const clients: SocketClient[] = [];
  beforeEach(async () => {
    world = await createWorld(dialect);
    board = await add('Board', { companyId: world.nord, scopes: readScopes });
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.terminate();
    await world.close();
  });

  const add = (name: string, overrides: object = {}) =>
    installExtension(world, { name, mode: 'websocket', ...overrides });
  const open = async (options: ConnectOptions = {}, url = world.url) => {
    const client = await connect(url, { key: board.key, ...options });
    clients.push(client);
    await client.until(({ messages }) => messages.length > 0);
    // The connection is noted once its page could show it.
    await waitUntil(async () => {
      const id = client.messages[0]!['connection_id'] as string;
      const row = await world.db.get('SELECT 1 AS one FROM socket_connections WHERE id = :id', { id });
      return row !== undefined || client.socket.readyState > 1;
    });
    return client;
  };
  const refusal = (options: ConnectOptions) =>
    connect(world.url, options).then(
      () => {
        throw new Error('it was let in');
      },
      (error: unknown) => error as Refused,
    );
  const stamp = (verb: string, person: number) => sendStamp(world, verb, person);
  const hasEvents = (count: number) => (client: SocketClient) => client.events().length >= count;
  const tick = () => world.service.connections.tick();
  const change = (sql: string) => world.db.write((tx) => tx.run(sql));

  /** Events in one write, without the records that they are about. */
  const addEvents = (count: number, comment = '') =>
    world.write(async (write) => {
      for (let index = 0; index < count; index++)
        await write.event({
          type: 'leave.removed',
          companyId: world.nord,
          personId: world.people.ada,
          data: { id: index + 1, company_id: world.nord, removed_at: formatInstant(world.now()), comment } as never,
        });
      await write.audit({
        companyId: world.nord,
        action: 'extension.pinged',
        subject: `extension ${board.id}`,
        details: { event: 'evt_1' },
      });
    });

  it('the event connection greets, and sends events', async () => {
    const start = await feedPosition(world.db);
    const client = await open();
    expect(client.messages[0]).toMatchObject({ type: 'hello', position: start, heartbeat_s: 30 });
    await stamp('in', world.people.ada);
    await client.until(hasEvents(1));
    expect(client.events()).toMatchObject([{ type: 'clock.in' }]);
    const eventList = await world.call('GET', `/api/v1/events?after=${start}`, { key: board.key });
    expect(client.events()).toEqual(eventList.body['data']);
  });

  it('the event connection sends only what the key may read', async () => {
    const client = await open();
    await stamp('in', world.people.zoe);
    await change(`UPDATE extensions SET scopes = '["read:leave_entries"]' WHERE id = '${board.id}'`);
    await stamp('in', world.people.ada);
    // Handed out while the permission was gone.
    await tick();
    await change(`UPDATE extensions SET scopes = '${JSON.stringify(readScopes)}' WHERE id = '${board.id}'`);
    await stamp('in', world.people.ben);
    await client.until(hasEvents(1));
    expect(client.events().map(({ data }) => data['clock_state']!['user_id'])).toEqual([world.people.ben]);
  });

  it('the event connection replays events after a position, and continues without a gap', async () => {
    const start = await feedPosition(world.db);
    for (let round = 0; round < 60; round++) {
      await stamp('in', world.people.ada);
      await stamp('out', world.people.ada);
    }
    const client = await open({ after: start });
    await stamp('in', world.people.ben);
    await client.until(hasEvents(121));
    const eventList = await world.call('GET', `/api/v1/events?after=${start}&limit=500`, { key: board.key });
    expect(client.events()).toEqual(eventList.body['data']);
    expect(client.events()).toHaveLength(121);
  });

  it('the event connection refuses a position older than 72 hours, or not its own', async () => {
    await stamp('in', world.people.ada);
    await sealAll(world.service.store, world.now);
    world.advance(73 * hour);
    const { epoch, place } = await settledPosition(world.db);
    expect(await refusal({ key: board.key, after: feedPositionOf({ epoch, place: 0 }) })).toMatchObject({
      status: 410,
      body: { code: 'sync_window_exceeded' },
    });
    expect(await refusal({ key: board.key, after: feedPositionOf({ epoch, place: place + 1 }) })).toMatchObject({
      status: 410,
      body: { code: 'history_changed' },
    });
    expect(await refusal({ key: board.key, after: '41474' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('the event connection refuses before it opens', async () => {
    expect(await refusal({})).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(await refusal({ key: `${board.key.slice(0, -1)}x` })).toMatchObject({ status: 401 });
    expect(await refusal({ key: world.planner.key })).toMatchObject({
      status: 403,
      body: { code: 'connection_mode_mismatch' },
    });
    const plainAnswer = await world.call('GET', '/api/v1/extension/connect', { key: board.key });
    expect(plainAnswer).toMatchObject({ status: 426, body: { code: 'upgrade_required' } });
    expect(plainAnswer.headers.get('upgrade')).toBe('websocket');
    await change(`UPDATE companies SET active = 0 WHERE id = ${world.nord}`);
    expect(await refusal({ key: board.key })).toMatchObject({ status: 403, body: { code: 'company_inactive' } });
  });

  it('the event connection accepts no key in the address', async () => {
    const failure = await connect(world.url, { headers: {} }).catch((error: unknown) => error as Refused);
    expect(failure).toMatchObject({ status: 401 });
    const answer = await world.call('GET', `/api/v1/extension/connect?key=${board.key}`);
    expect(answer.status).toBe(401);
  });

  it('the event connection pings every 30 seconds and ends after 60 seconds of silence', async () => {
    const liveClient = await open();
    const deadClient = await open({ autoPong: false });
    const firstPings = Promise.all(
      [liveClient, deadClient].map(({ socket }) => new Promise((resolve) => socket.once('ping', resolve))),
    );
    world.advance(30 * second);
    await tick();
    await firstPings;
    // The answer is on its way.
    const secondPing = new Promise((resolve) => liveClient.socket.once('ping', resolve));
    world.advance(29 * second);
    await stamp('in', world.people.ada);
    await liveClient.until(hasEvents(1));
    world.advance(second);
    await tick();
    await secondPing;
    expect((await deadClient.closed).code).toBe(1006);
    expect(liveClient.socket.readyState).toBe(1);
  });

  it('a sixth event connection of a key is closed', async () => {
    const firstClients = [];
    for (let index = 0; index < 5; index++) firstClients.push(await open());
    const sixthClient = await open();
    expect(await sixthClient.closed).toEqual({ code: 4409, reason: 'too_many_connections' });
    expect(sixthClient.messages.at(-1)).toEqual({ type: 'disconnect', reason: 'too_many_connections' });
    expect(firstClients.every(({ socket }) => socket.readyState === 1)).toBe(true);
    firstClients[0]!.socket.close();
    await waitUntil(async () => (await world.db.all('SELECT id FROM socket_connections')).length === 4);
    const nextClient = await open();
    await stamp('in', world.people.ada);
    await nextClient.until(hasEvents(1));
  });

  it('the event connection closes for a client that does not read, which loses nothing', async () => {
    const start = await feedPosition(world.db);
    const slowClient = await open();
    slowClient.socket.pause();
    // More than what the sockets of both sides hold.
    const comment = 'x'.repeat(60_000);
    const count = 99;
    for (let index = 0; index < count; index++) await addEvents(1, comment);
    // Everything has been handed out.
    await tick();
    slowClient.socket.resume();
    expect(await slowClient.closed).toEqual({ code: 4429, reason: 'slow_reader' });
    expect(slowClient.messages.at(-1)).toEqual({ type: 'disconnect', reason: 'slow_reader' });
    const readIds = slowClient.events().map(({ id }) => id);
    expect(readIds.length).toBeLessThan(count);
    const secondClient = await open({ after: readIds.at(-1) ?? start });
    await secondClient.until(hasEvents(count - readIds.length));
    const { body } = await world.call('GET', `/api/v1/events?after=${start}&limit=500`, { key: board.key });
    const allIds = (body['data'] as { id: string }[]).map(({ id }) => id);
    expect(allIds).toHaveLength(count);
    expect([...readIds, ...secondClient.events().map(({ id }) => id)]).toEqual(allIds);
  });

  it('the event connection replays large events to a client that reads', async () => {
    const start = await feedPosition(world.db);
    // One read of the replay holds more than the sockets of both sides and the buffer of the connection.
    const count = 49;
    for (let index = 0; index < count; index++) await addEvents(1, 'x'.repeat(400_000));
    const client = await open({ after: start });
    await Promise.race([client.until(hasEvents(count)), client.closed]);
    expect(client.events()).toHaveLength(count);
  });

  const endings = {
    'its key was replaced': [
      (id: string, at: number) => `UPDATE api_keys SET revoked_at = ${at} WHERE extension_id = '${id}'`,
      4401,
      'key_revoked',
    ],
    'its key has expired': [
      (id: string, at: number) => `UPDATE api_keys SET expires_at = ${at} WHERE extension_id = '${id}'`,
      4401,
      'key_revoked',
    ],
    'it has another mode': [
      (id: string) => `UPDATE extensions SET mode = 'api' WHERE id = '${id}'`,
      4403,
      'mode_changed',
    ],
    'its company is deactivated': [() => 'UPDATE companies SET active = 0', 4403, 'company_inactive'],
  } as const;
  it.each(Object.keys(endings) as (keyof typeof endings)[])('the event connection ends when %s', async (name) => {
    const [sql, code, reason] = endings[name];
    const client = await open();
    await change(sql(board.id, world.now()));
    await tick();
    expect(await client.closed).toEqual({ code, reason });
    expect(client.messages.at(-1)).toEqual({ type: 'disconnect', reason });
  });

  it('the page of an extension shows its event connection: who, and since when', async () => {
    const root = await world.as(await addSuperAdmin(world));
    const path = `/app/admin/extensions/${board.id}/connections`;
    const listConnections = async () => (await root.call('GET', path)).body['data'];
    expect(await listConnections()).toEqual([]);
    const opened_at = formatInstant(world.now());
    const client = await open({ headers: { 'user-agent': 'board/1.2 (\u00fc\u00e4)' } });
    const id = client.messages[0]!['connection_id'];
    expect(await listConnections()).toEqual([{ id, opened_at, address: '127.0.0.1', agent: 'board/1.2 ()' }]);
    client.socket.terminate();
    await waitUntil(async () => ((await listConnections()) as unknown[]).length === 0);
    expect(await root.call('GET', '/app/admin/extensions/ext_unknown/connections')).toMatchObject({ status: 404 });
  });

  it('the event connection ends when the service stops', async () => {
    const replica = await world.replica();
    const client = await open({}, replica.url);
    await world.stop(replica);
    expect(await client.closed).toEqual({ code: 1012, reason: 'restart' });
    expect(client.messages.at(-1)).toEqual({ type: 'disconnect', reason: 'restart' });
    expect(await world.db.all('SELECT * FROM socket_connections')).toEqual([]);
  });

  it('the event connection ends after a too long message', async () => {
    const codeAfter = async (act: (client: SocketClient) => void) => {
      const client = await open();
      act(client);
      return (await client.closed).code;
    };
    expect(await codeAfter(({ socket }) => socket.send('x'.repeat(1_025)))).toBe(1009);
  });

  it('the event connection ignores messages of the client', async () => {
    const client = await open();
    for (const message of ['hello', '{"type":"ack"}', 'x'.repeat(1_024), Buffer.from('{}')])
      client.socket.send(message);
    await stamp('in', world.people.ada);
    await client.until(hasEvents(1));
  });
});

/** Waits for what others do, without a clock. */
async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}
