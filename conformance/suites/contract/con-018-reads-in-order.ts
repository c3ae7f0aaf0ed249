import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'CON-018',
  suite: 'contract',
  level: 'must',
  says: 'With write:absences alone an extension reads the absence that it created and no other, and the lists of what was removed answer for every resource that has one.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const writes = await world.newExtension({ scopes: ['write:absences'] });
    const id = (await absence(world, writes.api, person)).is(201).number('id');
    (await writes.api.get(`/api/v1/absences/${id}`)).is(200);
    const otherAbsence = (await absence(world, api, await world.newPerson())).is(201).number('id');
    (await writes.api.get(`/api/v1/absences/${otherAbsence}`)).is(404, 'not_found');
    const since = new Date(Date.now() - 86_400_000).toISOString();
    for (const { id: operation, path } of world.contract.operations)
      if (operation.startsWith('listRemoved')) (await api.get(`${path}?since=${since}`)).is(200);
  },
});
