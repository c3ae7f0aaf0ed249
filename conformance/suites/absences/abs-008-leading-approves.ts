import { equal, requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-008',
  suite: 'absences',
  level: 'must',
  says: 'What a leading extension creates is approved at once.',
  covers: ['T2.10', 'T3.1'],
  async check(world) {
    const { api } = await world.newExtension({ absences_count_as_approved: true });
    const person = await world.person();
    const made = (await absence(world, api, person)).is(201);
    equal(made.get('status'), 'approved', 'status');
  },
});
