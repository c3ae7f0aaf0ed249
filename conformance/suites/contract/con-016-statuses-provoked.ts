import { needNone, unexplainedStatuses } from '../../kit/coverage.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-016',
  suite: 'contract',
  level: 'should',
  says: 'Every documented status was provoked, except those that cannot be provoked from outside, each with its reason.',
  last: true,
  async check(world) {
    needNone(world, unexplainedStatuses(world), 'documented statuses were not provoked');
  },
});
