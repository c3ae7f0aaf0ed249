import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-004',
  suite: 'contract',
  level: 'must',
  says: 'No answer has a member that the documents do not name.',
  covers: ['Records have the documented members and no others.'],
  last: true,
  async check(world) {
    equal(world.findingsOf('member'), [], 'undocumented members');
  },
});
