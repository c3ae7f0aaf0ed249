import { at } from '../../kit/json.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock, envelope, eventually } from '../support.js';

export default requirement({
  id: 'EVT-002',
  suite: 'events',
  level: 'must',
  says: 'types lists only these types, and next_after moves past the others.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const position = await envelope(api);
    for (const operation of ['in', 'out'] as const) (await clock(api, person, operation)).is(200);
    const page = await eventually(async () => {
      const page = (await api.get(`/api/v1/events?after=${position}&types=clock.out`)).is(200);
      return page.string('next_after') > position ? page : undefined;
    }, 'next_after moves');
    ensure(
      page.list('data').every((event) => at(event, 'type') === 'clock.out'),
      'another type is listed',
    );
    (await api.get(`/api/v1/events?after=${position}&types=clock.sideways`)).is(400, 'invalid_request');
  },
});
