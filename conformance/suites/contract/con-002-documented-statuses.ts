import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-002',
  suite: 'contract',
  level: 'must',
  says: 'Every answer has a documented status.',
  last: true,
  async check(world) {
    equal(world.findingsOf('status'), [], 'undocumented statuses');
  },
});
