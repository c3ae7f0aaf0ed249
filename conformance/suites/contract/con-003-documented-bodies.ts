import { equal, requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-003',
  suite: 'contract',
  level: 'must',
  says: 'Every body matches its schema.',
  covers: ['D3.1', 'D1.1', 'D1.2'],
  last: true,
  async check(world) {
    equal(world.found('body'), [], 'bodies that do not match');
  },
});
