import { ensure, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-018',
  suite: 'indexer',
  level: 'should',
  says: 'The status gives a digest over the index at a checkpoint, which two operators can compare.',
  covers: ['The status tells state, backfill, history, lag and an index digest.'],
  async check(world) {
    const status = (await world.indexer.get('/api/v1/status')).is(200);
    if (status.get('index_digest') === undefined) throw new Skipped('no digest has been made yet');
    ensure(/^[0-9a-f]{64}$/.test(status.string('index_digest.root')), 'index_digest.root is no hash');
    ensure(status.number('index_digest.checkpoint') >= 0, 'index_digest.checkpoint is missing');
  },
});
