import { at, isRecord } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, allRows, eventually } from '../support.js';

export default requirement({
  id: 'ABS-018',
  suite: 'absences',
  level: 'must',
  says: 'After a person is erased their absences are listed as removed, with id, company and time only.',
  covers: [
    '/time/leaves/removed lists absences deleted since then, after erasure too, for 90 days.',
    'After erasure only id, company and time stay in the removed feed.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.newPerson();
    const company = await world.company();
    const since = new Date(Date.now() - 60_000).toISOString();
    const id = (await absence(world, api, person)).is(201).get('id');
    await world.fixtures.erasePerson(person.id, company.today());
    const removedLeave = await eventually(
      async () =>
        (await allRows(api, `/api/v1/time/leaves/removed?since=${since}`))
          .filter(isRecord)
          .find((leave) => leave['id'] === id),
      'the absence is listed as removed',
    );
    equal(Object.keys(removedLeave).sort(), ['company_id', 'id', 'removed_at'], 'what is left of it');
    equal(at(removedLeave, 'company_id'), company.id, 'company_id');
    (await api.get(`/api/v1/time/leaves?updated_since=${since}&user_id=${person.id}`)).is(404, 'not_found');
  },
});
