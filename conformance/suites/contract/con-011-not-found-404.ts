import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-011',
  suite: 'contract',
  level: 'must',
  says: 'Every operation that names a record answers 404 if there is none.',
  async check(world) {
    await provoke(world, '404');
  },
});
