import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-008',
  suite: 'security',
  level: 'must',
  says: 'Another method is refused with 405, which names the allowed ones.',
  covers: ['405 names the allowed methods; another media type is refused with 415.'],
  async check(world) {
    const { api } = await world.extension();
    const answer = (await api.call('PUT', '/api/v1/users', { json: {} })).is(405, 'method_not_allowed');
    ensure((answer.header('allow') ?? '').includes('GET'), 'Allow misses GET');
    const clockIn = (await api.get('/api/v1/clock/in')).is(405, 'method_not_allowed');
    ensure((clockIn.header('allow') ?? '').includes('POST'), 'Allow misses POST');
  },
});
