import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-006',
  suite: 'absences',
  level: 'must',
  says: 'Deleting a waiting absence withdraws it with 200; afterwards it can neither be changed nor deleted.',
  covers: ['A waiting absence is withdrawn by the extension that created it.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const creation = (await absence(world, api, person)).is(201);
    const path = `/api/v1/absences/${creation.number('id')}`;
    const withdrawal = (await api.delete(path)).is(200);
    equal(withdrawal.get('status'), 'withdrawn', 'status');
    (await api.patch(path, { comment: 'late' })).is(409, 'absence_not_changeable');
    (await api.delete(path)).is(409, 'absence_not_changeable');
  },
});
