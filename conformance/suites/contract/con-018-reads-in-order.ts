import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'CON-018',
  suite: 'contract',
  level: 'must',
  says: 'Records can be read one by one, and the lists of what was removed answer for every resource that has one.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const id = (await absence(world, api, person)).is(201).number('id');
    (await api.get(`/api/v1/absences/${id}`)).is(200);
    const since = new Date(Date.now() - 86_400_000).toISOString();
    for (const { id: operation, path } of world.contract.operations)
      if (operation.startsWith('listRemoved')) (await api.get(`${path}?since=${since}`)).is(200);
  },
});
