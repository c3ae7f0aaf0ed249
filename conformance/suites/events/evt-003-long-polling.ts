import { ensure, NotArrived } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';
import { clock, envelope } from '../support.js';

export default requirement({
  id: 'EVT-003',
  suite: 'events',
  level: 'must',
  says: 'With wait the answer comes with the first new event.',
  covers: ['GET /events pulls the same events, with wait and types.'],
  async check(world) {
    const { api } = await world.newExtension();
    const person = await world.person();
    const position = await envelope(api);
    const from = Date.now();
    const poll = api.get(`/api/v1/events?after=${position}&wait=20`);
    await pause(300);
    (await clock((await world.extension()).api, person, 'in')).is(200);
    const page = (await poll).is(200);
    ensure(page.list('data').length > 0, 'the answer is empty');
    if (Date.now() - from > 15_000) throw new NotArrived('the answer did not come with the event');
  },
});
