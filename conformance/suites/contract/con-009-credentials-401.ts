import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-009',
  suite: 'contract',
  level: 'must',
  says: 'Every operation that needs a credential refuses its absence with 401.',
  covers: ['T5.1', 'T4.17'],
  async check(world) {
    await provoke(world, '401');
  },
});
