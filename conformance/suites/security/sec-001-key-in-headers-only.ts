import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-001',
  suite: 'security',
  level: 'must',
  says: 'A key is read from Authorization or X-API-Key and never from the query.',
  covers: [
    'Requests carry an API key and are authorised per scope.',
    'Keys come as Bearer or X-API-Key, never in a query; both with the same key is one credential.',
  ],
  async check(world) {
    const { key, api } = await world.extension();
    const client = world.stranger();
    for (const name of ['access_token', 'api_key', 'key']) {
      const answer = await client.get(`/api/v1/users?${name}=${key}`);
      ensure(answer.status === 401 || answer.status === 400, `?${name}= was answered with ${answer.status}`);
    }
    (await client.get('/api/v1/users?limit=1', { headers: { 'x-api-key': key } })).is(200);
    (await api.get('/api/v1/users?limit=1', { headers: { 'x-api-key': key } })).is(200);
  },
});
