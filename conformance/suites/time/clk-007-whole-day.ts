import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-007',
  suite: 'time',
  level: 'must',
  says: 'In, break, back and out leave one recorded entry with one break and the state `out`.',
  covers: ['Working time of companies is recorded: in, out, breaks, absences of every kind.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const entry = (await clock(api, person, 'in')).is(200).get('time_entry.id');
    (await clock(api, person, 'break/start')).is(200);
    (await clock(api, person, 'break/end')).is(200);
    const answer = (await clock(api, person, 'out')).is(200);
    equal(answer.get('time_entry.id'), entry, 'the entry');
    equal(answer.get('time_entry.status'), 'recorded', 'time_entry.status');
    equal(answer.list('time_entry.breaks').length, 1, 'breaks');
    equal(answer.get('clock_state.state'), 'out', 'clock_state.state');
    ensure(typeof answer.get('time_entry.end') === 'string', 'the entry has no end');
  },
});
