import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-016',
  suite: 'time',
  level: 'must',
  says: 'Clocking in after the last day of employment is refused with 409 employment_ended.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.newPerson({ employment_end: '2026-01-31' });
    (await clock(api, person, 'in')).is(409, 'employment_ended');
  },
});
