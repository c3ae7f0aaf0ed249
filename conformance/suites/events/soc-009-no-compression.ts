import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SOC-009',
  suite: 'events',
  level: 'must',
  says: 'Messages are not compressed, even if the client offers it.',
  covers: ['The event connection does not compress.'],
  async check(world) {
    const { key } = await world.newExtension({ mode: 'websocket' });
    const url = new URL('/api/v1/extension/connect', world.target.service.url);
    const upgrade = (url.protocol === 'https:' ? secureRequest : request)(url, {
      headers: {
        authorization: `Bearer ${key}`,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits',
      },
    });
    upgrade.end();
    const [answer, socket] = (await once(upgrade, 'upgrade')) as [IncomingMessage, Socket];
    socket.destroy();
    equal(answer.headers['sec-websocket-extensions'] ?? '', '', 'Sec-WebSocket-Extensions');
  },
});
