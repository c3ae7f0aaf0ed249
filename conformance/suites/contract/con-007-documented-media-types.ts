import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-007',
  suite: 'contract',
  level: 'must',
  says: 'Every body has a documented media type.',
  last: true,
  async check(world) {
    equal(world.findingsOf('media'), [], 'media types');
  },
});
