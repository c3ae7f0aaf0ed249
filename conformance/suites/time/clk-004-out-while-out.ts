import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-004',
  suite: 'time',
  level: 'must',
  says: 'Clocking out and starting a break while clocked out are refused with not_clocked_in.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    (await clock(api, person, 'out')).is(409, 'not_clocked_in');
    (await clock(api, person, 'break/start')).is(409, 'not_clocked_in');
  },
});
