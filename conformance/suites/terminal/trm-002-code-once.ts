import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';
import { keyOf } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-002',
  suite: 'terminal',
  level: 'must',
  says: 'A pairing code works once.',
  covers: [
    'Adding a terminal gives a pairing code that is valid for ten minutes and works once.',
    'A pairing code lives ten minutes and works once.',
  ],
  async check(world) {
    const { code } = await world.addedTerminal();
    const client = world.stranger();
    const key = () => keyOf(randomBytes(32)).publicKey.toString('base64');
    (await client.post('/api/v1/terminal/pair', { code, public_key: key() })).is(201);
    (await client.post('/api/v1/terminal/pair', { code, public_key: key() })).is(404, 'pairing_code_invalid');
  },
});
