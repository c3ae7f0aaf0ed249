import { ensure, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { quotaOf } from '../support.js';

export default requirement({
  id: 'IDX-016',
  suite: 'indexer',
  level: 'must',
  says: 'An address that asks more than its limit is refused with 429 and Retry-After; another address is not.',
  waits: true,
  limit: 120,
  async check(world) {
    if (!world.local) throw new Skipped('this machine has one address towards the deployment');
    const client = world.strangerToIndexer();
    const quota = quotaOf(await client.get('/api/v1/status'));
    if (quota === 0 || quota > 2_000) throw new Skipped(`the limit is ${quota} a minute`);
    const from = Date.now();
    let refusal: Awaited<ReturnType<typeof client.get>> | undefined;
    // Where a minute ends and the next begins, there is the quota of each.
    for (let requestCount = 0; requestCount < quota * 2 + 40 && refusal === undefined; requestCount += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => client.get('/api/v1/status', { patient: false })),
      );
      refusal = answers.find(({ status }) => status === 429);
    }
    if (refusal === undefined) world.inTime(from, 45, 'using up the limit');
    ensure(refusal !== undefined, `no request of ${quota} and more was refused`);
    refusal.is(429, 'rate_limited');
    ensure(Number(refusal.header('retry-after')) >= 1, 'Retry-After is missing');
    (await world.strangerToIndexer().get('/api/v1/status')).is(200);
  },
});
