import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-015',
  suite: 'terminal',
  level: 'must',
  says: 'A nonce is accepted once, also with another time.',
  covers: [
    'The time may differ by one minute; each nonce is accepted once.',
    'A terminal request outside the minute or with a used nonce is refused.',
    "A terminal's time may differ by a minute; a nonce works once.",
  ],
  async check(world) {
    const terminal = await world.terminal();
    const signedRequest = terminal.signRequest('GET', '/api/v1/terminal/status');
    (await terminal.transmit(signedRequest)).is(200);
    (await terminal.transmit(signedRequest)).is(401, 'nonce_reused');
    const nonce = randomBytes(16).toString('base64url');
    (await terminal.send('GET', '/api/v1/terminal/status', undefined, { nonce })).is(200);
    const time = String(Math.floor(Date.now() / 1_000) + 20);
    (await terminal.send('GET', '/api/v1/terminal/status', undefined, { nonce, time })).is(401, 'nonce_reused');
  },
});
