import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, eventually, leavesOf } from '../support.js';

export default requirement({
  id: 'ABS-002',
  suite: 'absences',
  level: 'must',
  says: 'The same external_id with the same data creates nothing and answers 200 with the same record.',
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const { monday, wednesday } = world.week();
    const data = { start_date: monday, end_date: wednesday, external_id: `same-${monday}` };
    const firstAnswer = (await absence(world, api, person, data)).is(201);
    const secondAnswer = (await absence(world, api, person, data)).is(200);
    equal(secondAnswer.get('id'), firstAnswer.get('id'), 'id');
    const leaves = await eventually(async () => {
      const leaves = await leavesOf(api, person, new Date(Date.now() - 60_000).toISOString());
      const matches = leaves.filter((leave) => at(leave, 'external_id') === `same-${monday}`);
      return matches.length > 0 ? matches : undefined;
    }, 'the absence is listed');
    equal(leaves.length, 1, 'absences with the external_id');
  },
});
