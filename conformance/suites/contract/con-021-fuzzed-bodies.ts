import { fuzz } from '../../kit/fuzz.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-021',
  suite: 'contract',
  level: 'must',
  says: 'Generated bodies get documented answers and never a 5xx.',
  limit: 120,
  async check(world) {
    await fuzz(world, 'bodies');
  },
});
