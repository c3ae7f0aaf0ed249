import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-011',
  suite: 'indexer',
  level: 'must',
  says: 'Everything is GET: other methods are refused with 405 and change nothing.',
  covers: ['All endpoints are GET and open.'],
  async check(world) {
    const countBefore = (await world.indexer.get('/api/v1/status')).is(200).get('indexed_count');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const answer = await world.indexer.call(method, '/api/v1/proofs', method === 'DELETE' ? {} : { json: {} });
      answer.is(405, 'method_not_allowed');
      ensure((answer.header('allow') ?? '').includes('GET'), 'Allow misses GET');
    }
    const countAfter = (await world.indexer.get('/api/v1/status')).is(200).number('indexed_count');
    ensure(countAfter >= Number(countBefore), 'indexed_count fell');
  },
});
