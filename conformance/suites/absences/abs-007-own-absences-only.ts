import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-007',
  suite: 'absences',
  level: 'must',
  says: 'Absences of another extension are neither changed nor deleted: 404, as if they did not exist.',
  covers: ['404 is the same for "does not exist" and "belongs to others".'],
  async check(world) {
    const firstExtension = await world.extension();
    const secondExtension = await world.newExtension();
    const person = await world.person();
    const creation = (await absence(world, firstExtension.api, person)).is(201);
    const path = `/api/v1/absences/${creation.number('id')}`;
    (await secondExtension.api.patch(path, { comment: 'mine now' })).is(404, 'not_found');
    (await secondExtension.api.delete(path)).is(404, 'not_found');
    (await firstExtension.api.patch(path, { comment: 'still mine' })).is(200);
  },
});
