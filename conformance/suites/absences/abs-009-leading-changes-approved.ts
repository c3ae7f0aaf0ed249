import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-009',
  suite: 'absences',
  level: 'must',
  says: 'A leading extension changes its approved absences, and its deletions are granted at once with 202 cancelled.',
  covers: [
    'An approved absence is changed only by its own, leading extension.',
    'DELETE: waiting gives 200 withdrawn, approved 202 cancellation_requested, for a leading extension cancelled at once.',
  ],
  async check(world) {
    const { api } = await world.newExtension({ absences_count_as_approved: true });
    const person = await world.person();
    const { monday, wednesday, friday } = world.week();
    const creation = (await absence(world, api, person, { start_date: monday, end_date: wednesday })).is(201);
    const path = `/api/v1/absences/${creation.number('id')}`;
    const change = (await api.patch(path, { end_date: friday })).is(200);
    equal(change.get('status'), 'approved', 'status');
    const deletion = (await api.delete(path)).is(202);
    equal(deletion.get('status'), 'cancelled', 'status after the deletion');
  },
});
