/** A thousand clients with one key: five stay, and nothing of the others is left. */
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { installExtension } from '../builders.js';
import { createWorld, type World } from '../world.js';

const connects = 1_000;
const concurrency = 8;

let world: World;
beforeEach(async () => {
  world = await createWorld('sqlite', { env: { RATE_API_PER_MINUTE: '10000', RATE_IP_PER_MINUTE: '10000' } });
});
afterEach(() => world.close());

it('a thousand connects with one key leave five connections', async () => {
  const { key } = await installExtension(world, { name: 'Board', mode: 'websocket', scopes: ['read:leave_entries'] });
  const url = `${world.url.replace(/^http/, 'ws')}/api/v1/extension/connect`;
  const codes: number[] = [];
  const openSockets = new Set<WebSocket>();
  let remainingConnects = connects;
  const closings: Promise<void>[] = [];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (; remainingConnects > 0; ) {
        remainingConnects--;
        const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` }, perMessageDeflate: false });
        openSockets.add(socket);
        closings.push(
          new Promise((resolve) => {
            socket.once('close', (code) => {
              codes.push(code);
              openSockets.delete(socket);
              resolve();
            });
          }),
        );
        await once(socket, 'message');
      }
    }),
  );
  await waitFor(() => openSockets.size <= 5);
  // 1011: the database could not note it in time.
  expect(new Set(codes.filter((code) => code !== 1011))).toEqual(new Set([4409]));
  expect(codes).toHaveLength(connects - 5);
  const rows = await world.db.all<{ id: string }>('SELECT id FROM socket_connections');
  expect(rows).toHaveLength(5);
  // Those that are left get what happens.
  const pings = [...openSockets].map((socket) => once(socket, 'ping'));
  world.advance(30_000);
  await world.service.connections.tick();
  await Promise.all(pings);
  for (const socket of openSockets) socket.terminate();
  await Promise.all(closings);
  await waitFor(async () => (await world.db.all('SELECT id FROM socket_connections')).length === 0);
});

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  // A request is a turn of I/O.
  while (!(await condition())) await world.call('GET', '/api/v1/status');
}
