import { ensure, requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'EVT-004',
  suite: 'events',
  level: 'must',
  says: 'An `after` older than the events that are kept is refused with 410, unless all events are still kept; a negative one is refused with 400.',
  covers: ['D6.9', 'D1.12'],
  async check(world) {
    const { api } = await world.extension();
    const answer = await api.get('/api/v1/events?after=1&limit=1');
    ensure(answer.status === 200 || answer.status === 410, `after=1 was answered with ${answer.status}`);
    (await api.get('/api/v1/events?after=-1')).is(400, 'invalid_request');
    (await api.get('/api/v1/events?after=x')).is(400, 'invalid_request');
  },
});
