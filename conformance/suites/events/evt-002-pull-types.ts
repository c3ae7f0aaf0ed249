import { at } from '../../kit/json.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock, envelope } from '../support.js';

export default requirement({
  id: 'EVT-002',
  suite: 'events',
  level: 'must',
  says: 'types lists only these types, and next_after moves past the others.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const after = await envelope(api);
    for (const operation of ['in', 'out'] as const) (await clock(api, person, operation)).is(200);
    const page = (await api.get(`/api/v1/events?after=${after}&types=clock.out`)).is(200);
    ensure(
      page.list('data').every((event) => at(event, 'type') === 'clock.out'),
      'another type is listed',
    );
    ensure(page.string('next_after') > after, 'next_after stays');
    (await api.get(`/api/v1/events?after=${after}&types=clock.sideways`)).is(400, 'invalid_request');
  },
});
