import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-002',
  suite: 'time',
  level: 'must',
  says: 'Clocking in while clocked in is refused with 409 already_clocked_in and changes nothing.',
  covers: ['feature_disabled, month_closed, already_clocked_in and token_expired are codes.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const firstAnswer = (await clock(api, person, 'in')).is(200);
    (await clock(api, person, 'in')).is(409, 'already_clocked_in');
    const states = (await api.get(`/api/v1/clock/states?user_id=${person.id}`)).is(200);
    equal(states.get('data.0.since'), firstAnswer.get('clock_state.since'), 'since after the refusal');
  },
});
