import { ensure, equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-040',
  suite: 'security',
  level: 'must',
  says: 'Scripts and styles of the pages are not counted as requests of an address.',
  async check(world) {
    const client = world.stranger();
    const page = (await client.get('/')).text;
    const asset = /(?:src|href)="(\/[^"]+\.(?:js|css))"/.exec(page)?.[1];
    if (asset === undefined) throw new Skipped('the page of the service names no script');
    for (let sentCount = 0; sentCount < 120; sentCount += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => client.get(asset, { patient: false })));
      const refusedStatuses = answers.filter(({ status }) => status !== 200).map(({ status }) => status);
      equal(refusedStatuses, [], `statuses of ${asset} after ${sentCount} requests`);
    }
    const answer = await client.get('/api/v1/status', { patient: false });
    ensure(answer.status === 200, `the API answers ${answer.status} afterwards`);
  },
});
