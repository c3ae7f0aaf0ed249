import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-012',
  suite: 'absences',
  level: 'must',
  says: 'A kind that the company does not offer is refused with 422 absence_type_unknown.',
  covers: ["type is a kind that the person's company offers; /me lists them."],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    (await absence(world, api, person, { type: 'moon_landing' })).is(422, 'absence_type_unknown');
    const id = (await absence(world, api, person)).is(201).number('id');
    const change = await api.patch(`/api/v1/absences/${id}`, { type: 'moon_landing' });
    change.is(422, 'absence_type_unknown');
  },
});
