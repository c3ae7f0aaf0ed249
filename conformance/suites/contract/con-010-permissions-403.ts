import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-010',
  suite: 'contract',
  level: 'must',
  says: 'Every operation with a scope refuses a key without it with 403, and so does every operation that takes another kind.',
  async check(world) {
    await provoke(world, '403');
  },
});
