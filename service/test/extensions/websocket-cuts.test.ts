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
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const stampCount = 100;

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
  const openBreakingProxy = async (
    url: string,
    random: () => number,
  ): Promise<{ readonly url: string; cuts: () => number }> => {
    let cuts = 0;
    const server = createServer((incoming) => {
      const outgoing = dial(Number(new URL(url).port), '127.0.0.1');
      let bytesLeft = 300 + Math.floor(random() * 5_000);
      const pair = [incoming, outgoing];
      const end = () => {
        for (const socket of pair) socket.destroy();
      };
      for (const socket of pair) {
        sockets.add(socket);
        socket.on('error', end).on('close', end);
      }
      incoming.pipe(outgoing);
      outgoing.on('data', (chunk: Buffer) => {
        const part = chunk.subarray(0, bytesLeft);
        bytesLeft -= part.length;
        incoming.write(part, () => {
          if (bytesLeft > 0) return;
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
    const random = seededRandom(20_261_122);
    const start = await feedPosition(world.db);
    // On SQLite there is one process.
    const processes = dialect === 'postgres' ? [world.service, await world.replica()] : [world.service];
    let lastSequence = Number.MAX_SAFE_INTEGER;

    const follow = async (
      url: string,
    ): Promise<{ readonly events: readonly ReceivedEvent[]; readonly cuts: number }> => {
      const proxy = await openBreakingProxy(url, random);
      const events: ReceivedEvent[] = [];
      let position = start;
      let newestSequence = 0;
      let leave = () => {};
      const look = () => {
        if (newestSequence >= lastSequence) leave();
      };
      looks.push(look);
      while (newestSequence < lastSequence) {
        try {
          const client = await connect(proxy.url, {
            key: board.key,
            after: position,
            onEvent: (event) => {
              events.push(event);
              // An event that is sent again is older than the ones before.
              if (event.sequence > newestSequence) [newestSequence, position] = [event.sequence, event.id];
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
      return { events, cuts: proxy.cuts() };
    };
    const looks: (() => void)[] = [];
    const followers = [0, 1, 2].map((index) => follow(processes[index % processes.length]!.url));

    const people = [world.people.ada, world.people.ben];
    const presentPeople = new Set<number>();
    for (let index = 0; index < stampCount; index++) {
      const person = people[Math.floor(random() * people.length)]!;
      const verb = presentPeople.has(person) ? 'out' : 'in';
      if (!presentPeople.delete(person)) presentPeople.add(person);
      const { url } = processes[Math.floor(random() * processes.length)]!;
      const answer = await fetch(`${url}/api/v1/clock/${verb}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.planner.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: person }),
      });
      expect(answer.status).toBe(200);
    }
    let allEvents: ReceivedEvent[] = [];
    while (allEvents.length < stampCount) {
      const eventList = await world.call('GET', `/api/v1/events?after=${start}&limit=500`, { key: board.key });
      allEvents = eventList.body['data'] as ReceivedEvent[];
    }
    expect(allEvents).toHaveLength(stampCount);
    lastSequence = allEvents.at(-1)!.sequence;
    for (const look of looks) look();
    for (const { events, cuts } of await Promise.all(followers)) {
      expect(cuts).toBeGreaterThan(5);
      const firstArrivals = events.filter(({ id }, index) => events.findIndex((event) => event.id === id) === index);
      expect(firstArrivals).toEqual(allEvents);
    }
  });
});
