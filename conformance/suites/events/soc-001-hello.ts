import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { connect } from '../support.js';

export default requirement({
  id: 'SOC-001',
  suite: 'events',
  level: 'must',
  says: 'The connection opens for a key in WebSocket mode and begins with hello.',
  covers: [
    'Mode WebSocket: the extension keeps one connection open at GET /api/v1/extension/connect.',
    '/extension/connect opens a WebSocket for extensions in WebSocket mode.',
  ],
  async check(world) {
    const extension = await world.newExtension({ mode: 'websocket' });
    const socket = await connect(world, extension);
    const hello = await socket.message(() => true, 10);
    equal(hello['type'], 'hello', 'the first message');
    ensure(/^con_/.test(String(hello['connection_id'])), 'connection_id is missing');
    ensure(/^evt_[0-9a-f]{22}$/.test(String(hello['position'])), 'position is missing');
    ensure(typeof hello['heartbeat_s'] === 'number', 'heartbeat_s is missing');
    socket.close();
  },
});
