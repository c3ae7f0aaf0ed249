import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-021',
  suite: 'absences',
  level: 'must',
  says: 'An absence after the last day of employment is refused with 409 employment_ended.',
  covers: [
    "Writes follow the application's own rules: closed months, last day of employment, approval.",
    'Writes outside the employment are refused with employment_ended.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.newPerson({ employment_end: '2026-01-31' });
    (await absence(world, api, person)).is(409, 'employment_ended');
  },
});
