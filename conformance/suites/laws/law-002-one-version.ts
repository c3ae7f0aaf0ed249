import { at, isRecord } from '../../kit/json.js';
import { ensureNone, unequalVersions } from '../../kit/laws.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, allRows, clock, envelope, eventually, pull } from '../support.js';

export default requirement({
  id: 'LAW-002',
  suite: 'laws',
  level: 'must',
  says: 'A version of a record is the same in every list, read, answer and event, and a list of changes ends with the newest.',
  last: true,
  limit: 60,
  async check(world) {
    const { api } = await world.newExtension();
    const position = await envelope(api);
    const since = new Date(Date.now() - 60_000).toISOString();
    const person = await world.newPerson();
    let entry = 0;
    for (const operation of ['in', 'break/start', 'break/end', 'out'] as const)
      entry = (await clock(api, person, operation)).is(200).number('time_entry.id');
    const leave = (await absence(world, api, person)).is(201).number('id');
    (await api.patch(`/api/v1/absences/${leave}`, { comment: 'Changed' })).is(200);
    for (const [list, path, id] of [
      ['users?', 'users', person.id],
      [`time/entries?user_id=${person.id}&`, 'time/entries', entry],
      [`time/leaves?user_id=${person.id}&`, 'absences', leave],
    ] as const) {
      const changes = `/api/v1/${list}updated_since=${since}`;
      const answer = (await api.get(`/api/v1/${path}/${id}`)).is(200);
      const row = await eventually(async () => {
        const newestRecord = (await allRows(api, changes)).filter(isRecord).findLast((record) => record['id'] === id);
        return newestRecord?.['updated_at'] === answer.get('updated_at') ? newestRecord : undefined;
      }, `${changes} ends with the version of a single read`);
      equal(row, answer.json, changes);
    }
    (await api.get(`/api/v1/clock/states?user_id=${person.id}`)).is(200);
    await eventually(async () => {
      const events = await pull(api, position);
      const personEvents = events.filter((event) =>
        JSON.stringify(at(event, 'data')).includes(`"user_id":${person.id},`),
      );
      return personEvents.length >= 6 ? personEvents : undefined;
    }, 'the events of six changes are listed');
    ensureNone(unequalVersions(world.exchanges));
  },
});
