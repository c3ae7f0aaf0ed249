import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-014',
  suite: 'absences',
  level: 'must',
  says: 'type, start_date and end_date are required, dates are calendar dates, and the end does not come before the start.',
  covers: ['An absence needs type, start_date and end_date; half_day, comment and external_id are optional.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const { monday, wednesday } = world.week();
    for (const change of [
      { type: undefined },
      { start_date: undefined },
      { end_date: undefined },
      { start_date: '2027-02-30' },
      { start_date: `${monday}T00:00:00Z` },
      { start_date: 20270101 },
      { start_date: wednesday, end_date: monday },
      { surprise: 1 },
    ])
      (await absence(world, api, person, { start_date: monday, end_date: wednesday, ...change })).is(
        400,
        'invalid_request',
      );
  },
});
