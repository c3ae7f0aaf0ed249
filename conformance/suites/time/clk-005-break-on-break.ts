import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-005',
  suite: 'time',
  level: 'must',
  says: 'Starting a break during a break is refused with already_on_break.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    (await clock(api, person, 'in')).is(200);
    const breakAnswer = (await clock(api, person, 'break/start')).is(200);
    equal(breakAnswer.get('clock_state.state'), 'on_break', 'clock_state.state');
    (await clock(api, person, 'break/start')).is(409, 'already_on_break');
  },
});
