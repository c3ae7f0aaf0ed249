import type { Client } from '../../kit/client.js';
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
    const after = await envelope(api);
    const since = new Date(Date.now() - 60_000).toISOString();
    const person = await world.newPerson();
    for (const operation of ['in', 'break/start', 'break/end', 'out'] as const)
      (await clock(api, person, operation)).is(200);
    const leave = `/api/v1/absences/${(await absence(world, api, person)).is(201).number('id')}`;
    (await api.patch(leave, { comment: 'Changed' })).is(200);
    for (const [list, path] of [
      ['users', 'users'],
      [`time/entries?user_id=${person.id}`, 'time/entries'],
      [`time/leaves?user_id=${person.id}`, 'absences'],
    ] as const) {
      const changes = `/api/v1/${list}${list.includes('?') ? '&' : '?'}updated_since=${since}`;
      const row = await newest(api, changes, (record) => path !== 'users' || record['id'] === person.id, path);
      equal((await api.get(`/api/v1/${path}/${String(row['id'])}`)).is(200).json, row, changes);
    }
    (await api.get(`/api/v1/clock/states?user_id=${person.id}`)).is(200);
    await eventually(async () => {
      const events = await pull(api, after);
      const own = events.filter((event) => JSON.stringify(at(event, 'data')).includes(`"user_id":${person.id},`));
      return own.length >= 6 ? own : undefined;
    }, 'the events of six changes are listed');
    ensureNone(unequalVersions(world.exchanges));
  },
});

/** The row of a list of changes once it shows the version that a single read shows. */
const newest = (api: Client, changes: string, isMeant: (record: Record<string, unknown>) => boolean, path: string) =>
  eventually(async () => {
    const row = (await allRows(api, changes)).filter(isRecord).findLast(isMeant);
    if (row === undefined) return undefined;
    const read = await api.get(`/api/v1/${path}/${String(row['id'])}`);
    return read.get('updated_at') === row['updated_at'] ? row : undefined;
  }, `${changes} shows the newest version`);
