import { ensure, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { quotaOf } from '../support.js';

export default requirement({
  id: 'SEC-012',
  suite: 'security',
  level: 'must',
  says: 'Requests without a credential are limited per address.',
  covers: ['Requests per address without credential are limited, 60 a minute by default.'],
  waits: true,
  limit: 90,
  async check(world) {
    if (!world.local) throw new Skipped('the kit has one address towards the deployment');
    const client = world.stranger();
    const quota = quotaOf(await client.get('/api/v1/status'));
    ensure(quota > 0, 'RateLimit-Policy is missing');
    if (quota > 2_000) throw new Skipped(`the limit is ${quota} a minute`);
    const from = Date.now();
    let hasRefusal = false;
    // Where a minute ends and the next begins, there is the quota of each.
    for (let sentCount = 0; sentCount < quota * 2 + 40 && !hasRefusal; sentCount += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => client.get('/api/v1/status', { patient: false })),
      );
      hasRefusal = answers.some(({ status }) => status === 429);
    }
    if (!hasRefusal) world.inTime(from, 45, 'using up the limit');
    ensure(hasRefusal, `no request of ${quota} and more was refused`);
    (await world.stranger().get('/api/v1/status')).is(200);
  },
});
