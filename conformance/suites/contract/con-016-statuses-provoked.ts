import { ensure, requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CON-016',
  suite: 'contract',
  level: 'should',
  says: 'All documented statuses that can be provoked from outside were provoked (500 and 503 cannot).',
  covers: ['D1.7'],
  last: true,
  async check(world) {
    const missing = world.contract.operations.flatMap(({ id, statuses }) =>
      statuses
        .filter((status) => !['500', '503'].includes(status) && !world.contract.seen.has(`${id} ${status}`))
        .map((status) => `${id} ${status}`),
    );
    const feasible = world.contract.operations.flatMap(({ statuses }) =>
      statuses.filter((status) => !['500', '503'].includes(status)),
    );
    ensure(
      missing.length <= feasible.length * 0.1,
      `${missing.length} of ${feasible.length} were not: ${missing.join(', ')}`,
    );
  },
});
