/** Connections that break at any byte: every event arrives, in order. */
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { installExtension } from '../builders.js';
import { feedPosition } from '../feed.js';
import { connect, type ReceivedEvent } from '../websocket-client.js';
import { createWorld, type World } from '../world.js';

/** Numbers from 0 to 1, the same at every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const stamps = 100;

describe.each(oneDialect)('connections cut at random on %s', (dialect) => {
  let world: World;
  let board: AddedExtension;
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  beforeEach(async () => {
    world = await createWorld(dialect);
    board = await installExtension(world, {
      name: 'Board',
      mode: 'websocket',
      scopes: ['read:clock_states', 'read:time_entries'],
    });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) server.close();
    await world.close();
  });

  /** Leads to a process, and breaks each connection after some bytes. */
  const breakingWay = async (
    url: string,
    random: () => number,
  ): Promise<{ readonly url: string; cuts: () => number }> => {
    let cuts = 0;
    const server = createServer((from) => {
      const onward = dial(Number(new URL(url).port), '127.0.0.1');
      let left = 300 + Math.floor(random() * 5_000);
      const both = [from, onward];
      const end = () => {
        for (const socket of both) socket.destroy();
      };
      for (const socket of both) {
        sockets.add(socket);
        socket.on('error', end).on('close', end);
      }
      from.pipe(onward);
      onward.on('data', (chunk: Buffer) => {
        const part = chunk.subarray(0, left);
        left -= part.length;
        from.write(part, () => {
          if (left > 0) return;
          cuts++;
          end();
        });
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cuts: () => cuts };
  };

  it('connections cut at random lose nothing and keep the order', async () => {
    const random = seeded(20_261_122);
    const start = await feedPosition(world.db);
    // On SQLite there is one process.
    const processes = dialect === 'postgres' ? [world.service, await world.replica()] : [world.service];
    let last = Number.MAX_SAFE_INTEGER;

    const follow = async (
      url: string,
    ): Promise<{ readonly received: readonly ReceivedEvent[]; readonly cuts: number }> => {
      const way = await breakingWay(url, random);
      const received: ReceivedEvent[] = [];
      let after = start;
      let reached = 0;
      let leave = () => {};
      const look = () => {
        if (reached >= last) leave();
      };
      looking.push(look);
      while (reached < last) {
        try {
          const client = await connect(way.url, {
            key: board.key,
            after,
            onEvent: (event) => {
              received.push(event);
              // An event that is sent again is older than the ones before.
              if (event.sequence > reached) [reached, after] = [event.sequence, event.id];
              setImmediate(look);
            },
          });
          leave = () => client.socket.terminate();
          look();
          await client.closed;
        } catch {
          // Cut during the handshake.
        }
      }
      return { received, cuts: way.cuts() };
    };
    const looking: (() => void)[] = [];
    const following = [0, 1, 2].map((index) => follow(processes[index % processes.length]!.url));

    const people = [world.people.ada, world.people.ben];
    const isIn = new Set<number>();
    for (let index = 0; index < stamps; index++) {
      const person = people[Math.floor(random() * people.length)]!;
      const verb = isIn.has(person) ? 'out' : 'in';
      if (!isIn.delete(person)) isIn.add(person);
      const { url } = processes[Math.floor(random() * processes.length)]!;
      const answer = await fetch(`${url}/api/v1/clock/${verb}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.planner.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: person }),
      });
      expect(answer.status).toBe(200);
    }
    let all: ReceivedEvent[] = [];
    while (all.length < stamps) {
      const listed = await world.call('GET', `/api/v1/events?after=${start}&limit=500`, { key: board.key });
      all = listed.body['data'] as ReceivedEvent[];
    }
    expect(all).toHaveLength(stamps);
    last = all.at(-1)!.sequence;
    for (const look of looking) look();
    for (const { received, cuts } of await Promise.all(following)) {
      expect(cuts).toBeGreaterThan(5);
      const first = received.filter(({ id }, index) => received.findIndex((event) => event.id === id) === index);
      expect(first).toEqual(all);
    }
  });
});
