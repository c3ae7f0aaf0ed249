import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-007',
  suite: 'absences',
  level: 'must',
  says: 'Absences of another extension are neither changed nor deleted: 404, as if they did not exist.',
  covers: ['404 is the same for "does not exist" and "belongs to others".'],
  async check(world) {
    const first = await world.extension();
    const second = await world.newExtension();
    const person = await world.person();
    const creation = (await absence(world, first.api, person)).is(201);
    const path = `/api/v1/absences/${creation.number('id')}`;
    (await second.api.patch(path, { comment: 'mine now' })).is(404, 'not_found');
    (await second.api.delete(path)).is(404, 'not_found');
    (await first.api.patch(path, { comment: 'still mine' })).is(200);
  },
});
