import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-017',
  suite: 'indexer',
  level: 'must',
  says: 'The verification service sets no cookie and asks for no credential.',
  covers: ['It needs no key and no secret.', 'No endpoint needs authentication.'],
  async check(world) {
    const answer = (await world.indexer.get('/api/v1/status', { headers: { authorization: 'Bearer nonsense' } })).is(
      200,
    );
    equal(answer.header('set-cookie'), undefined, 'Set-Cookie');
    equal(answer.header('www-authenticate'), undefined, 'WWW-Authenticate');
  },
});
