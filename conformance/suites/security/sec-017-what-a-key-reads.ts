import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { allRows } from '../support.js';

export default requirement({
  id: 'SEC-017',
  suite: 'security',
  level: 'must',
  says: 'A key set to read nothing, or only people who link it, lists nobody else.',
  covers: ['What a key reads itself is a setting: everyone, linked people or nothing.'],
  async check(world) {
    const person = await world.person();
    for (const key_reads of ['nothing', 'linked_people'] as const) {
      const { api } = await world.newExtension({ key_reads });
      equal(
        (await api.get('/api/v1/users?limit=500')).is(200).list('data').length,
        0,
        `people listed with ${key_reads}`,
      );
      equal(
        (await api.get('/api/v1/clock/states?limit=500')).is(200).list('data').length,
        0,
        `states listed with ${key_reads}`,
      );
    }
    const { api } = await world.newExtension({ key_reads: 'everyone' });
    ensure(
      (await allRows(api, '/api/v1/users')).some((user) => at(user, 'id') === person.id),
      'everyone misses somebody',
    );
  },
});
