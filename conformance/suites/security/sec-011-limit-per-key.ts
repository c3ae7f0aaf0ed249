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
    const first = (await api.get('/api/v1/companies')).is(200);
    const quota = quotaOf(first);
    ensure(quota > 0, `RateLimit-Policy is ${first.header('ratelimit-policy')}`);
    if (quota > 1_000) throw new Skipped(`the limit is ${quota} a minute`);
    const from = Date.now();
    let refused = 0;
    let served = 1;
    // Where a minute ends and the next begins, there is the quota of each.
    for (let sent = 0; sent < quota * 2 + 40 && refused === 0; sent += 10) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => api.get('/api/v1/companies', { patient: false })),
      );
      refused += answers.filter(({ status }) => status === 429).length;
      served += answers.filter(({ status }) => status === 200).length;
      const late = answers.find(({ status }) => status === 429);
      if (late !== undefined) ensure(Number(late.header('retry-after')) >= 1, 'Retry-After is missing');
    }
    if (refused === 0) world.inTime(from, 45, 'using up the limit');
    ensure(refused > 0, `no request of ${served} was refused`);
    ensure(served >= quota - 2, `${served} requests were served, fewer than ${quota}`);
  },
});
