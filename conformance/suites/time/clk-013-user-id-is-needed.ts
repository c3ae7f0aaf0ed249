import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-013',
  suite: 'time',
  level: 'must',
  says: 'A company key without user_id is refused with 400 and changes nothing.',
  covers: [
    'A company key without user_id, a link with one, or a person of another company is refused and changes nothing.',
  ],
  async check(world) {
    const { api } = await world.extension();
    (await api.post('/api/v1/clock/in')).is(400, 'invalid_request');
    (await api.post('/api/v1/clock/in', {})).is(400, 'invalid_request');
  },
});
