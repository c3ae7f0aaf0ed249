import { needNone } from '../../kit/coverage.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-001',
  suite: 'contract',
  level: 'must',
  says: 'Every operation of the published documents was called.',
  last: true,
  async check(world) {
    const called = new Set([...world.contract.seen.keys()].map((key) => key.split(' ')[0]));
    const missing = world.contract.operations.filter(({ id }) => !called.has(id)).map(({ id }) => id);
    needNone(world, missing, 'operations were not called');
  },
});
