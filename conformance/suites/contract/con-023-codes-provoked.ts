import { needNone, unexplainedCodes } from '../../kit/coverage.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-023',
  suite: 'contract',
  level: 'should',
  says: 'Every documented code was provoked, except those that cannot be provoked from outside, each with its reason.',
  last: true,
  async check(world) {
    needNone(world, unexplainedCodes(world), 'documented codes were not provoked');
  },
});
