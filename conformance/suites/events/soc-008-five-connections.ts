import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { connect, eventually } from '../support.js';

export default requirement({
  id: 'SOC-008',
  suite: 'events',
  level: 'must',
  says: 'A sixth connection of a key is closed with 4409, and the five before it go on.',
  covers: ['Closing codes: 4401 key gone, 4403 mode or feature, 4409 too many connections.'],
  limit: 40,
  async check(world) {
    const extension = await world.newExtension({ mode: 'websocket' });
    const sockets: Awaited<ReturnType<typeof connect>>[] = [];
    for (let count = 0; count < 5; count++) {
      const socket = await connect(world, extension);
      await socket.message(({ type }) => type === 'hello', 10);
      sockets.push(socket);
    }
    const sixthConnection = await connect(world, extension);
    const closing = await eventually(async () => sixthConnection.closed, 'the sixth is closed', 15);
    equal(closing.code, 4409, 'the closing code');
    equal(sockets.filter((socket) => socket.closed === undefined).length, 5, 'connections that are left');
    for (const socket of sockets) socket.close();
  },
});
