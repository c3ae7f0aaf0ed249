import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-008',
  suite: 'absences',
  level: 'must',
  says: 'An absence created by a leading extension is approved at once.',
  covers: [
    'With "absences count as approved" the extension leads: what it creates is approved, and it changes and cancels approved absences.',
    "A new absence waits for approval by the person's rules, or is approved at once for a leading extension.",
  ],
  async check(world) {
    const { api } = await world.newExtension({ absences_count_as_approved: true });
    const person = await world.person();
    const creation = (await absence(world, api, person)).is(201);
    equal(creation.get('status'), 'approved', 'status');
  },
});
