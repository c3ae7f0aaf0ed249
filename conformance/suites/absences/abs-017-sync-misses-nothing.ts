import { at } from '../../kit/json.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-017',
  suite: 'absences',
  level: 'must',
  says: 'Following next_updated_since and cursors finds every change once it happened.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    let since = new Date(Date.now() - 1_000).toISOString();
    const wanted = new Set<unknown>();
    const found = new Set<unknown>();
    for (let round = 0; round < 4; round++) {
      wanted.add((await absence(world, api, person)).is(201).get('id'));
      for (let cursor = ''; ; ) {
        const page = (await api.get(`/api/v1/time/leaves?updated_since=${since}&limit=1${cursor}`)).is(200);
        for (const leave of page.list('data')) found.add(at(leave, 'id'));
        if (page.get('has_more') !== true) {
          since = page.string('next_updated_since');
          break;
        }
        cursor = `&cursor=${page.string('next_cursor')}`;
      }
    }
    for (const id of wanted) ensure(found.has(id), `the absence ${String(id)} was missed`);
  },
});
