import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { envelope } from '../support.js';

export default requirement({
  id: 'EVT-004',
  suite: 'events',
  level: 'must',
  says: 'An `after` older than the events that are kept is refused with 410, unless all events are still kept; a malformed one is refused with 400.',
  async check(world) {
    const { api } = await world.extension();
    const firstPosition = `${(await envelope(api)).slice(0, 'evt_'.length + 8)}${'1'.padStart(14, '0')}`;
    const answer = await api.get(`/api/v1/events?after=${firstPosition}&limit=1`);
    ensure(answer.status === 200 || answer.status === 410, `after=${firstPosition} was answered with ${answer.status}`);
    for (const position of ['-1', 'x', '41474', 'evt_1', 'evt_000000041474'])
      (await api.get(`/api/v1/events?after=${position}`)).is(400, 'invalid_request');
  },
});
