import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-003',
  suite: 'absences',
  level: 'must',
  says: 'The same external_id with other data is refused with 409 external_id_conflict and the existing id.',
  covers: ['The same external_id with other data answers 409 with the existing id.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const { monday, wednesday, friday } = world.week();
    const data = { start_date: monday, end_date: wednesday, external_id: `conflict-${monday}` };
    const creation = (await absence(world, api, person, data)).is(201);
    const otherAbsence = (await absence(world, api, person, { ...data, end_date: friday })).is(
      409,
      'external_id_conflict',
    );
    equal(otherAbsence.get('id'), creation.get('id'), 'id of the conflict');
    (await absence(world, api, person, { ...data, comment: 'other' })).is(409, 'external_id_conflict');
  },
});
