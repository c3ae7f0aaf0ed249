import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-008',
  suite: 'time',
  level: 'must',
  says: 'Clocking out on a break ends the break with the entry.',
  covers: ['Clocking out on a break ends the break too.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    (await clock(api, person, 'in')).is(200);
    (await clock(api, person, 'break/start')).is(200);
    const answer = (await clock(api, person, 'out')).is(200);
    equal(answer.get('time_entry.breaks.0.end'), answer.get('time_entry.end'), 'the end of the break');
  },
});
