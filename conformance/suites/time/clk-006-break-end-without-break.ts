import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-006',
  suite: 'time',
  level: 'must',
  says: 'Ending a break is refused with not_on_break while the person is not on a break.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    (await clock(api, person, 'break/end')).is(409, 'not_on_break');
    (await clock(api, person, 'in')).is(200);
    (await clock(api, person, 'break/end')).is(409, 'not_on_break');
  },
});
