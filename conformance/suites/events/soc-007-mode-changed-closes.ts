import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { connect, eventually } from '../support.js';

export default requirement({
  id: 'SOC-007',
  suite: 'events',
  level: 'must',
  says: 'The connection closes with 4403 when the mode is changed.',
  limit: 40,
  async check(world) {
    const extension = await world.newExtension({ mode: 'websocket' });
    const socket = await connect(world, extension);
    await socket.message(({ type }) => type === 'hello', 10);
    await world.fixtures.changeExtension(extension.id, { mode: 'api' });
    const closing = await eventually(async () => socket.closed, 'the connection is closed', 20);
    equal(closing.code, 4403, 'the closing code');
  },
});
