import { backwardTimes, ensureNone } from '../../kit/laws.js';
import { requirement } from '../../kit/requirement.js';
import { clock, envelope, eventually, pull } from '../support.js';

export default requirement({
  id: 'LAW-005',
  suite: 'laws',
  level: 'must',
  says: 'The clock, the version of a record and the sequence of events never go back from one answer to the next.',
  last: true,
  limit: 60,
  async check(world) {
    const { api } = await world.newExtension();
    const person = await world.person();
    const position = await envelope(api);
    for (const operation of ['in', 'break/start', 'break/end', 'out'] as const) {
      (await clock(api, person, operation)).is(200);
      const { today } = await world.company();
      (await api.get(`/api/v1/clock/states?user_id=${person.id}`)).is(200);
      (await api.get(`/api/v1/time/entries?from=${today()}&to=${today()}&user_id=${person.id}`)).is(200);
      (await world.open.get('/api/v1/status')).is(200);
    }
    await eventually(
      async () => ((await pull(api, position)).length >= 4 ? true : undefined),
      'four events are listed',
    );
    ensureNone(backwardTimes(world.exchanges));
  },
});
