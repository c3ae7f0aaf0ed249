import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-018',
  suite: 'security',
  level: 'must',
  says: 'Answers forbid content sniffing, are not stored by caches where they are personal, and carry a request id.',
  covers: ['JSON in snake_case; instants in UTC with Z, dates without time, durations with their unit.'],
  async check(world) {
    const { api } = await world.extension();
    const answer = (await api.get('/api/v1/users?limit=1')).is(200);
    const sniffing = answer.header('x-content-type-options') ?? 'missing';
    // A proxy may say it, too.
    ensure(/^nosniff(, ?nosniff)*$/.test(sniffing), `X-Content-Type-Options is ${sniffing}`);
    ensure(
      (answer.header('cache-control') ?? '').includes('no-store'),
      `Cache-Control is ${answer.header('cache-control')}`,
    );
    ensure((answer.header('x-request-id') ?? '').length >= 8, 'X-Request-Id is missing');
    equal(answer.header('x-powered-by'), undefined, 'X-Powered-By');
  },
});
