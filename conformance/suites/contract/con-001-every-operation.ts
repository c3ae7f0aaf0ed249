import { needNone } from '../../kit/coverage.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-001',
  suite: 'contract',
  level: 'must',
  says: 'Every operation of the published documents was called.',
  last: true,
  async check(world) {
    const calledOperations = new Set([...world.contract.seen.keys()].map((key) => key.split(' ')[0]));
    const missingIds = world.contract.operations.filter(({ id }) => !calledOperations.has(id)).map(({ id }) => id);
    needNone(world, missingIds, 'operations were not called');
  },
});
