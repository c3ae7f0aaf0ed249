import { ensure, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { quotaOf } from '../support.js';

export default requirement({
  id: 'SEC-011',
  suite: 'security',
  level: 'must',
  says: 'A key is refused with 429 once its limit a minute is used up; the answers name limit and rest.',
  covers: [
    'RATE_API_PER_MINUTE limits the requests of a key or link.',
    'Requests per key or link are limited by RATE_API_PER_MINUTE.',
  ],
  waits: true,
  limit: 90,
  async check(world) {
    const { api } = await world.newExtension();
    const firstAnswer = (await api.get('/api/v1/companies')).is(200);
    const quota = quotaOf(firstAnswer);
    ensure(quota > 0, `RateLimit-Policy is ${firstAnswer.header('ratelimit-policy')}`);
    if (quota > 1_000) throw new Skipped(`the limit is ${quota} a minute`);
    const from = Date.now();
    let refusedCount = 0;
    let servedCount = 1;
    // Where a minute ends and the next begins, there is the quota of each.
    for (let sentCount = 0; sentCount < quota * 2 + 40 && refusedCount === 0; sentCount += 10) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => api.get('/api/v1/companies', { patient: false })),
      );
      refusedCount += answers.filter(({ status }) => status === 429).length;
      servedCount += answers.filter(({ status }) => status === 200).length;
      const refusal = answers.find(({ status }) => status === 429);
      if (refusal !== undefined) ensure(Number(refusal.header('retry-after')) >= 1, 'Retry-After is missing');
    }
    if (refusedCount === 0) world.inTime(from, 45, 'using up the limit');
    ensure(refusedCount > 0, `no request of ${servedCount} was refused`);
    ensure(servedCount >= quota - 2, `${servedCount} requests were served, fewer than ${quota}`);
  },
});
