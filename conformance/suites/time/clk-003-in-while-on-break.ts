import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-003',
  suite: 'time',
  level: 'must',
  says: 'Clocking in during a break is refused with already_clocked_in.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    (await clock(api, person, 'in')).is(200);
    (await clock(api, person, 'break/start')).is(200);
    (await clock(api, person, 'in')).is(409, 'already_clocked_in');
  },
});
