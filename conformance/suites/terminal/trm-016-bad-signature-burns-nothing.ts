import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-016',
  suite: 'terminal',
  level: 'must',
  says: 'A bad signature does not use up the nonce.',
  covers: [
    'The signature is checked before time and nonce; an unknown terminal and a bad signature look alike; a bad signature burns no nonce.',
  ],
  async check(world) {
    const terminal = await world.terminal();
    const nonce = randomBytes(16).toString('base64url');
    const forgedRequest = terminal.signRequest('GET', '/api/v1/terminal/status', undefined, {
      nonce,
      path: '/elsewhere',
    });
    (await world.stranger().call('GET', forgedRequest.path, forgedRequest.sent)).is(401, 'signature_invalid');
    (await terminal.send('GET', '/api/v1/terminal/status', undefined, { nonce })).is(200);
  },
});
