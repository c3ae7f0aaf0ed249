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
    const foreignPerson = await world.newPerson({ company_id: id, department_id: undefined });
    (await absence(world, api, foreignPerson)).is(404, 'not_found');
    (await api.get(`/api/v1/time/leaves?from=${today()}&to=${today()}&user_id=${foreignPerson.id}`)).is(
      404,
      'not_found',
    );
  },
});
