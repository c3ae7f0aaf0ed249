import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-005',
  suite: 'indexer',
  level: 'must',
  says: 'A transaction that is not on the ledger has the verdict unknown with a reason, is not verified, and is not cached.',
  async check(world) {
    const tx = 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG';
    const answer = (await world.indexer.get(`/api/v1/verify/${tx}?root=${'0'.repeat(64)}`)).is(200);
    equal(answer.get('verdict'), 'unknown', 'verdict');
    equal(answer.get('verified'), false, 'verified');
    const reasons = [
      'not_found',
      'not_yet',
      'not_synced',
      'incomplete',
      'disputed',
      'history_partial',
      'filtered',
      'package_unknown',
    ];
    ensure(reasons.includes(answer.string('reason')), `reason is ${answer.string('reason')}`);
    equal(answer.header('cache-control'), 'no-store', 'Cache-Control');
    (await world.indexer.get(`/api/v1/proofs/${tx}`)).is(404, 'not_found');
  },
});
