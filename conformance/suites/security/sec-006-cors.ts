import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-006',
  suite: 'security',
  level: 'must',
  says: 'CORS allows GET from anywhere and no other method.',
  covers: ['CORS allows only GET.'],
  async check(world) {
    const headers = { origin: 'https://elsewhere.example' };
    const simpleAnswer = (await world.open.get('/api/v1/status', { headers })).is(200);
    equal(simpleAnswer.header('access-control-allow-origin'), '*', 'Access-Control-Allow-Origin');
    equal(simpleAnswer.header('access-control-allow-credentials'), undefined, 'Access-Control-Allow-Credentials');
    ensure(/\betag\b/i.test(simpleAnswer.header('access-control-expose-headers') ?? ''), 'a page cannot see the ETag');
    const preflightAnswer = await world.open.call('OPTIONS', '/api/v1/users/1', {
      headers: {
        ...headers,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      },
    });
    ensure(
      /\bif-none-match\b/i.test(preflightAnswer.header('access-control-allow-headers') ?? ''),
      'a page cannot send If-None-Match',
    );
    const preflight = await world.open.call('OPTIONS', '/api/v1/clock/in', {
      headers: {
        ...headers,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    ensure(
      !/POST|PATCH|DELETE|\*/.test(preflight.header('access-control-allow-methods') ?? ''),
      `the preflight allows ${preflight.header('access-control-allow-methods')}`,
    );
  },
});
