import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-011',
  suite: 'absences',
  level: 'must',
  says: 'An absence over days that another one covers is refused with 409 absence_overlap.',
  covers: ['Overlapping absences are refused with absence_overlap.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const { monday, wednesday, friday } = world.week();
    (await absence(world, api, person, { start_date: monday, end_date: wednesday })).is(201);
    (await absence(world, api, person, { start_date: wednesday, end_date: friday, type: 'special_leave' })).is(
      409,
      'absence_overlap',
    );
  },
});
