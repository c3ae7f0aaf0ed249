import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-007',
  suite: 'security',
  level: 'must',
  says: 'Every error has error, code and request_id, which is the value of X-Request-Id and never the same twice.',
  covers: ['An error has error for people and code for programs.'],
  async check(world) {
    const { api } = await world.extension();
    const ids = new Set<string>();
    const answers = [
      await api.get('/api/v1/users?limit=0'),
      await world.stranger().get('/api/v1/users'),
      await api.get('/api/v1/me'),
      await api.get('/api/v1/nothing'),
      await api.get('/api/v1/clock/states?user_id=9007199254740000'),
      await api.call('PUT', '/api/v1/users', { json: {} }),
    ];
    for (const answer of answers) {
      ensure(answer.status >= 400, `${answer.request} was answered with ${answer.status}`);
      ensure(answer.string('error').length > 0, 'error is empty');
      ensure(/^[a-z_]+$/.test(answer.string('code')), `code is ${answer.string('code')}`);
      equal(answer.get('request_id'), answer.header('x-request-id'), 'request_id');
      ids.add(answer.string('request_id'));
    }
    equal(ids.size, answers.length, 'different request ids');
  },
});
