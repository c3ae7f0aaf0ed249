import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-009',
  suite: 'security',
  level: 'must',
  says: 'Another media type or a compressed body is refused with 415.',
  async check(world) {
    const { api } = await world.extension();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data; boundary=x',
    ])
      (await api.post('/api/v1/clock/in', undefined, { raw: '{"user_id":1}', headers: { 'content-type': type } })).is(
        415,
        'unsupported_media_type',
      );
    (
      await api.post('/api/v1/clock/in', undefined, {
        raw: '{"user_id":1}',
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      })
    ).is(415, 'unsupported_media_type');
  },
});
