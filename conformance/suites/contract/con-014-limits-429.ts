import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-014',
  suite: 'contract',
  level: 'must',
  says: 'Every operation refuses an address that has used up its requests with 429.',
  waits: true,
  limit: 120,
  async check(world) {
    await provoke(world, '429');
  },
});
