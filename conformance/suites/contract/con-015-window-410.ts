import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-015',
  suite: 'contract',
  level: 'must',
  says: 'Every feed with a window refuses what is older with 410.',
  async check(world) {
    await provoke(world, '410');
  },
});
