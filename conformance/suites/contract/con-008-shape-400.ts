import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-008',
  suite: 'contract',
  level: 'must',
  says: 'Every operation refuses an unknown query parameter, or an unknown member of its body, with 400.',
  limit: 90,
  async check(world) {
    await provoke(world, '400');
  },
});
