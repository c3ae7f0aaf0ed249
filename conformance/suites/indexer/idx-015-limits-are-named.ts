import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-015',
  suite: 'indexer',
  level: 'must',
  says: 'Answers name the limit per address and what is left of it.',
  covers: ['Requests are limited per client address, found through TRUSTED_PROXIES.'],
  async check(world) {
    const answer = (await world.strangerToIndexer().get('/api/v1/status')).is(200);
    const policy = answer.header('ratelimit-policy') ?? '';
    ensure(/;\s*q=\d+/.test(policy) && /;\s*w=60\b/.test(policy), `RateLimit-Policy is ${policy}`);
    ensure(/;\s*r=\d+/.test(answer.header('ratelimit') ?? ''), `RateLimit is ${answer.header('ratelimit')}`);
  },
});
