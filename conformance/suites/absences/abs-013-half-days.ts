import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-013',
  suite: 'absences',
  level: 'must',
  says: 'half_day is morning or afternoon of one day: over several days and with another word it is refused.',
  covers: [
    'An unknown kind is absence_type_unknown, a half day over several days or where the kind has none is refused.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const { monday, wednesday, friday } = world.week();
    (await absence(world, api, person, { start_date: monday, end_date: wednesday, half_day: 'morning' })).is(
      400,
      'invalid_request',
    );
    (await absence(world, api, person, { start_date: monday, end_date: monday, half_day: 'evening' })).is(
      400,
      'invalid_request',
    );
    const halfDay = (
      await absence(world, api, person, { start_date: friday, end_date: friday, half_day: 'afternoon' })
    ).is(201);
    equal(halfDay.get('half_day'), 'afternoon', 'half_day');
  },
});
