import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-023',
  suite: 'time',
  level: 'must',
  says: 'A company key with write:clock alone stamps for people; no card is involved.',
  covers: ['An existing terminal system may stamp through the API with a company key that holds write:clock.'],
  async check(world) {
    const { api } = await world.newExtension({ scopes: ['write:clock'] });
    const person = await world.person();
    (await clock(api, person, 'in')).is(200);
    (await clock(api, person, 'out')).is(200);
  },
});
