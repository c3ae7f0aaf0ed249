import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { reasonForCode } from '../../kit/unprovoked.js';

export default requirement({
  id: 'CON-023',
  suite: 'contract',
  level: 'should',
  says: 'Every documented code was provoked, except those that cannot be provoked from outside, each with its reason.',
  last: true,
  async check({ contract }) {
    const missing = contract.codesNotSeen().filter((key) => reasonForCode(key) === undefined);
    ensure(missing.length === 0, `${missing.length} were not: ${missing.join(', ')}`);
  },
});
