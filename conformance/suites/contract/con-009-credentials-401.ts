import { requirement } from '../../kit/requirement.js';
import { provoke } from '../../kit/statuses.js';

export default requirement({
  id: 'CON-009',
  suite: 'contract',
  level: 'must',
  says: 'Every operation that needs a credential refuses its absence with 401.',
  covers: ['Every terminal request except pairing is signed.'],
  async check(world) {
    await provoke(world, '401');
  },
});
