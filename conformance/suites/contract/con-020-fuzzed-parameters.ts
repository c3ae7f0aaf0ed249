import { fuzz } from '../../kit/fuzz.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-020',
  suite: 'contract',
  level: 'must',
  says: 'Generated query and path parameters get documented answers and never a 5xx.',
  covers: ['Lists filter by the documented parameters.'],
  limit: 120,
  async check(world) {
    await fuzz(world, 'parameters');
  },
});
