import { randomBytes } from 'node:crypto';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { keyOf } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-003',
  suite: 'terminal',
  level: 'must',
  says: 'Of twelve parallel devices with one code, one pairs.',
  limit: 60,
  async check(world) {
    const { code } = await world.addedTerminal();
    const client = world.stranger();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        client.post('/api/v1/terminal/pair', { code, public_key: keyOf(randomBytes(32)).publicKey.toString('base64') }),
      ),
    );
    equal(answers.filter(({ status }) => status === 201).length, 1, 'devices that paired');
  },
});
