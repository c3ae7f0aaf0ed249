import { isRecord } from '../../kit/json.js';
import { ensureNone, returnedRecords } from '../../kit/laws.js';
import { requirement } from '../../kit/requirement.js';
import { absence, allRows, clock, eventually } from '../support.js';

export default requirement({
  id: 'LAW-008',
  suite: 'laws',
  level: 'must',
  says: 'What was removed stays removed: no list and no read shows it again, and a key that has ended is refused again and again.',
  last: true,
  limit: 60,
  async check(world) {
    const { api } = await world.newExtension();
    const { today } = await world.company();
    const person = await world.newPerson();
    const since = new Date(Date.now() - 60_000).toISOString();
    const entry = (await clock(api, person, 'in')).is(200).number('time_entry.id');
    (await clock(api, person, 'out')).is(200);
    const leave = (await absence(world, api, person)).is(201).number('id');
    await world.fixtures.erasePerson(person.id, today());
    for (const [list, id] of [
      ['users', person.id],
      ['time/entries', entry],
      ['time/leaves', leave],
    ] as const)
      await eventually(async () => {
        const removedRows = (await allRows(api, `/api/v1/${list}/removed?since=${since}`)).filter(isRecord);
        return removedRows.find((row) => row['id'] === id);
      }, `${list} ${id} is listed as removed`);
    for (let times = 0; times < 2; times++) {
      for (const path of [`users/${person.id}`, `time/entries/${entry}`, `absences/${leave}`])
        (await api.get(`/api/v1/${path}`)).is(404, 'not_found');
      for (const list of ['users', 'time/entries', 'time/leaves'])
        await allRows(api, `/api/v1/${list}?updated_since=${since}`);
    }
    ensureNone(returnedRecords(world.exchanges));

    const endedExtension = await world.newExtension();
    (await endedExtension.api.get('/api/v1/companies')).is(200);
    await world.fixtures.removeExtension(endedExtension.id);
    for (let times = 0; times < 3; times++) (await endedExtension.api.get('/api/v1/companies')).is(401);
  },
});
