import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'ABS-030',
  suite: 'absences',
  level: 'must',
  says: "A company key lists its company's kinds of absence, and those of no other company.",
  async check(world) {
    const { api } = await world.extension();
    const { id } = await world.company();
    const neighbour = await world.neighbour();
    const keys = (await api.get(`/api/v1/absence-types?company_id=${id}`))
      .is(200)
      .list('data')
      .map((kind) => String(at(kind, 'key')));
    equal(
      ['vacation', 'sickness'].filter((key) => !keys.includes(key)),
      [],
      'kinds that are missing',
    );
    (await api.get(`/api/v1/absence-types?company_id=${neighbour.id}`)).is(404, 'not_found');
  },
});
