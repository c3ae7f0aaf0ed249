/** A position says which history it belongs to: clients that have seen what was lost learn of it. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { beginEpoch, type Position, positionText, settledPosition } from '../../src/store/position.js';
import { installExtension, sendStamp } from '../builders.js';
import { feedPositionOf } from '../feed.js';
import { connect, Refused } from '../websocket-client.js';
import { createWorld, type World } from '../world.js';

describe.each(oneDialect)('a position on %s', (dialect) => {
  let world: World;
  let board: AddedExtension;
  beforeEach(async () => {
    world = await createWorld(dialect);
    board = await installExtension(world, { name: 'Board', mode: 'websocket', companyId: world.nord });
  });
  afterEach(() => world.close());

  const stamp = (verb: string, person?: number) => sendStamp(world, verb, person);
  const readPosition = () => settledPosition(world.db);
  const newEpoch = () => world.db.write((tx) => beginEpoch(tx, 'test'));

  /** What every operation that takes a position answers, each once. */
  async function answersTo(position: Position): Promise<string[]> {
    const text = positionText(position);
    const [eventPosition, changePosition] = [feedPositionOf(position), `s1_${text}`];
    const removalPosition = `${changePosition}_${world.now().toString(16)}`;
    const lists = [
      `events?after=${eventPosition}`,
      `events?after=${eventPosition}&wait=1`,
      ...['users', 'time/entries', 'time/leaves'].map((list) => `${list}?updated_since=${changePosition}`),
      ...['users', 'time/entries', 'time/leaves'].map((list) => `${list}/removed?since=${removalPosition}`),
    ];
    const answers = await Promise.all(
      lists.map(async (list) => {
        const { status, body } = await world.call('GET', `/api/v1/${list}`, { key: board.key });
        return `${status} ${String(body['code'] ?? '')}`.trim();
      }),
    );
    const handshake = await connect(world.url, { key: board.key, after: eventPosition }).then(
      ({ socket }) => {
        socket.terminate();
        return '200';
      },
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        return `${error.status} ${String(error.body['code'])}`;
      },
    );
    return [...new Set([...answers, handshake])];
  }

  const refusal = ['410 history_changed'];

  it('a position of an unknown epoch is refused with 410 history_changed', async () => {
    await stamp('in');
    expect(await answersTo({ ...(await readPosition()), epoch: '0badc0de' })).toEqual(refusal);
  });

  it('a position ahead of the newest is refused with 410 history_changed', async () => {
    await stamp('in');
    const { epoch, place } = await readPosition();
    expect(await answersTo({ epoch, place: place + 1 })).toEqual(refusal);
    expect(await answersTo({ epoch, place: 2 ** 53 - 1 })).toEqual(refusal);
  });

  it('a position of an earlier epoch is accepted up to the rest of it, and refused behind it', async () => {
    await stamp('in');
    const earlierPosition = await readPosition();
    await newEpoch();
    await stamp('out');
    const laterPosition = await readPosition();
    expect(laterPosition.epoch).not.toBe(earlierPosition.epoch);
    const { body } = await world.call('GET', `/api/v1/events?after=${feedPositionOf(earlierPosition)}`, {
      key: board.key,
    });
    expect(body['data']).toMatchObject([{ type: 'clock.out', epoch: laterPosition.epoch }]);
    world.advance(60_000);
    expect(await answersTo({ ...earlierPosition, place: earlierPosition.place + 1 })).toEqual(refusal);
  });

  it('a position of an earlier epoch continues from there', async () => {
    await stamp('in');
    const earlierPosition = await readPosition();
    await newEpoch();
    // The stamp answers the list that waits for an event.
    const [answers] = await Promise.all([answersTo(earlierPosition), stamp('out')]);
    expect(answers).toEqual(['200']);
  });

  it('a position in a cursor is refused once its epoch is gone', async () => {
    await stamp('in');
    await stamp('out');
    for (const list of ['events?limit=1', 'users?updated_since=1970-01-01&limit=1']) {
      const { body } = await world.call('GET', `/api/v1/${list}`, { key: board.key });
      const { epoch } = await readPosition();
      await newEpoch();
      const nextPath = `/api/v1/${list}&cursor=${body['next_cursor'] as string}`;
      expect(await world.call('GET', nextPath, { key: board.key })).toMatchObject({ status: 200 });
      // As after a restore from a backup of an earlier epoch.
      await world.db.write((tx) =>
        tx.run('UPDATE epochs SET epoch = :other WHERE epoch = :epoch', { epoch, other: `x${epoch}` }),
      );
      expect(await world.call('GET', nextPath, { key: board.key })).toMatchObject({
        status: 410,
        body: { code: 'history_changed' },
      });
    }
  });

  it('a malformed position is refused with 400', async () => {
    for (const list of [
      'events?after=41474',
      'events?after=evt_000000041474',
      'users?updated_since=s1_000000000000a1f3',
    ])
      expect(await world.call('GET', `/api/v1/${list}`, { key: board.key })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
  });

  it('an open WebSocket ends with the epoch of its position, so that the client asks again', async () => {
    const client = await connect(world.url, { key: board.key });
    await client.until(({ messages }) => messages.length > 0);
    await newEpoch();
    await stamp('in');
    expect(await client.closed).toEqual({ code: 1012, reason: 'restart' });
    expect(client.events()).toEqual([]);
  });
});
