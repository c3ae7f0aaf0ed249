import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-022',
  suite: 'time',
  level: 'should',
  says: 'Rules of working time come as warnings in an answer that succeeds.',
  covers: ['Rules of working time warn and never block.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const answer = (await clock(api, person, 'in')).is(200);
    ensure(Array.isArray(answer.get('warnings')), 'there is no list of warnings');
  },
});
