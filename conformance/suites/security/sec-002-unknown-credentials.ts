import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-002',
  suite: 'security',
  level: 'must',
  says: 'Unknown, malformed and foreign credentials are refused with 401 and WWW-Authenticate.',
  async check(world) {
    const client = world.stranger();
    for (const authorization of [
      'Bearer',
      'Bearer ',
      'Bearer cpk_nobody',
      'Basic Og==',
      'Bearer a b',
      'bearer\tx',
      'Digest x',
    ]) {
      const answer = (await client.get('/api/v1/users', { headers: { authorization } })).is(401, 'unauthorized');
      ensure((answer.header('www-authenticate') ?? '').startsWith('Bearer'), 'WWW-Authenticate misses Bearer');
    }
  },
});
