import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-004',
  suite: 'security',
  level: 'must',
  says: 'A body of more than 256 KiB is refused with 413, one below the limit is read.',
  async check(world) {
    const { api } = await world.extension();
    const headers = { 'content-type': 'application/json' };
    (await api.post('/api/v1/clock/in', undefined, { raw: `{"x":"${'a'.repeat(256 * 1024)}"}`, headers })).is(
      413,
      'payload_too_large',
    );
    (await api.post('/api/v1/clock/in', undefined, { raw: `{"x":"${'a'.repeat(200 * 1024)}"}`, headers })).is(
      400,
      'invalid_request',
    );
  },
});
