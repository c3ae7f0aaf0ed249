import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-012',
  suite: 'contract',
  level: 'must',
  says: 'Every operation with a body refuses one of more than 256 KiB with 413.',
  async check(world) {
    await provoke(world, '413');
  },
});
