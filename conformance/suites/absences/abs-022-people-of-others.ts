import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-022',
  suite: 'absences',
  level: 'must',
  says: 'Absences of people of another company are neither created nor read.',
  async check(world) {
    const { api } = await world.extension();
    const { id, today } = await world.neighbour();
    const stranger = await world.newPerson({ company_id: id, department_id: undefined });
    (await absence(world, api, stranger)).is(404, 'not_found');
    (await api.get(`/api/v1/time/leaves?from=${today()}&to=${today()}&user_id=${stranger.id}`)).is(404, 'not_found');
  },
});
