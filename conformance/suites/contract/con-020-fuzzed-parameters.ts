import { fuzz } from '../../kit/fuzz.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-020',
  suite: 'contract',
  level: 'must',
  says: 'Generated query and path parameters get documented answers and never a 5xx.',
  covers: ['D1.3', 'D3.6'],
  limit: 120,
  async check(world) {
    await fuzz(world, 'parameters');
  },
});
