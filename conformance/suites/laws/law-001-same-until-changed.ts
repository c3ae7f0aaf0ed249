import { changedReads, ensureNone } from '../../kit/laws.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, clock } from '../support.js';

export default requirement({
  id: 'LAW-001',
  suite: 'laws',
  level: 'must',
  says: 'A record that is read twice is the same until its ETag moves, and the ETag moves with a change.',
  last: true,
  async check(world) {
    const { api } = await world.newExtension();
    const person = await world.newPerson();
    const entry = (await clock(api, person, 'in')).is(200).number('time_entry.id');
    const leave = (await absence(world, api, person)).is(201).number('id');
    const records = [`users/${person.id}`, `time/entries/${entry}`, `absences/${leave}`].map(
      (path) => `/api/v1/${path}`,
    );
    for (const path of records) {
      const [firstAnswer, secondAnswer] = [(await api.get(path)).is(200), (await api.get(path)).is(200)];
      equal(secondAnswer.json, firstAnswer.json, `${path} read again`);
      equal(secondAnswer.header('etag'), firstAnswer.header('etag'), `the ETag of ${path} read again`);
    }
    const path = `/api/v1/absences/${leave}`;
    const tagBefore = (await api.get(path)).header('etag');
    (await api.patch(path, { comment: 'Another one' })).is(200);
    ensure((await api.get(path)).header('etag') !== tagBefore, `the ETag of ${path} is that of before its change`);
    ensureNone(changedReads(world.exchanges));
  },
});
