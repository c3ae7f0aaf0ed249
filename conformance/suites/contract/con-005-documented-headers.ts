import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-005',
  suite: 'contract',
  level: 'must',
  says: 'Every header of an answer is documented, and every required one is there.',
  last: true,
  async check(world) {
    equal(world.findingsOf('header'), [], 'headers');
  },
});
