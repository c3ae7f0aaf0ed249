import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { reasonFor } from '../../kit/unprovoked.js';

export default requirement({
  id: 'CON-016',
  suite: 'contract',
  level: 'should',
  says: 'Every documented status was provoked, except those that cannot be provoked from outside, each with its reason.',
  last: true,
  async check(world) {
    const documented = world.contract.operations.flatMap(({ id, statuses }) =>
      statuses.map((status) => `${id} ${status}`),
    );
    const missing = documented.filter((key) => !world.contract.seen.has(key) && reasonFor(key) === undefined);
    ensure(missing.length === 0, `${missing.length} of ${documented.length} were not: ${missing.join(', ')}`);
  },
});
