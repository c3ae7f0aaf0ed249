import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-013',
  suite: 'contract',
  level: 'must',
  says: 'Every operation with a body refuses another media type with 415.',
  async check(world) {
    await provoke(world, '415');
  },
});
