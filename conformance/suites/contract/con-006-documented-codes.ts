import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-006',
  suite: 'contract',
  level: 'must',
  says: 'Every error code is documented for its operation, with its status.',
  covers: ['Every error has error, code, request_id and sometimes details, with the status that its code has.'],
  last: true,
  async check(world) {
    equal(world.findingsOf('code'), [], 'codes');
  },
});
