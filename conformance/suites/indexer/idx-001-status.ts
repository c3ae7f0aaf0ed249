import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-001',
  suite: 'indexer',
  level: 'must',
  says: 'The status names network, package, count and the time of the last poll, openly.',
  covers: [
    'The status has network, package, count and last index time.',
    '/status gives network, package, indexed count and last index time.',
  ],
  async check(world) {
    const status = (await world.strangerToIndexer().get('/api/v1/status')).is(200);
    for (const name of ['network', 'package', 'state', 'history', 'version']) status.string(name);
    ensure(
      status.number('indexed_count') >= (world.target.proofs ?? []).length,
      'indexed_count is below the proofs of the target',
    );
    ensure(/^0x[0-9a-f]{64}$/.test(status.string('package')), 'package is no address');
    ensure(
      ['starting', 'backfilling', 'ready', 'degraded'].includes(status.string('state')),
      `state is ${status.string('state')}`,
    );
  },
});
