import { equal, requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-006',
  suite: 'contract',
  level: 'must',
  says: 'Every error code is documented for its operation, with its status.',
  covers: ['D1.7', 'T7.2'],
  last: true,
  async check(world) {
    equal(world.found('code'), [], 'codes');
  },
});
