import { randomBytes } from 'node:crypto';
import { requirement } from '../../kit/requirement.js';
import { keyOf } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-007',
  suite: 'terminal',
  level: 'must',
  says: 'Ten wrong tries that begin with the same characters as a code invalidate it.',
  async check(world) {
    const { code } = await world.addedTerminal();
    const client = world.stranger();
    const wrongCode = `${code.slice(0, 5)}${code.endsWith('0000') ? '1111' : '0000'}`;
    const public_key = keyOf(randomBytes(32)).publicKey.toString('base64');
    for (let tries = 0; tries < 10; tries++)
      (await client.post('/api/v1/terminal/pair', { code: wrongCode, public_key })).is(404, 'pairing_code_invalid');
    (await client.post('/api/v1/terminal/pair', { code, public_key })).is(404, 'pairing_code_invalid');
  },
});
