import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { offline } from '../support.js';

export default requirement({
  id: 'TRM-048',
  suite: 'terminal',
  level: 'must',
  says: 'An upload holds at most a hundred stamps; a larger one is refused as a whole.',
  covers: ['An upload of offline stamps holds at most a hundred.'],
  async check(world) {
    const terminal = await world.newTerminal();
    const at = `${new Date(Date.now() - 60_000).toISOString().slice(0, 19)}Z`;
    const stamps = Array.from({ length: 101 }, (_, index) => ({
      number: index + 1,
      uid: '04782e21801d80',
      action: 'in',
      at,
    }));
    (await offline(terminal, stamps)).is(400, 'invalid_request');
    const upload = (await offline(terminal, stamps.slice(0, 100))).is(200);
    equal(upload.list('results').length, 100, 'results');
  },
});
