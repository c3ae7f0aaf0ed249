import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, eventually, leavesOf } from '../support.js';

export default requirement({
  id: 'ABS-004',
  suite: 'absences',
  level: 'must',
  says: 'external_id belongs to the extension: another extension may use it, and does not see it.',
  covers: ['A leave shows external_id only to its own extension.'],
  async check(world) {
    const firstExtension = await world.extension();
    const secondExtension = await world.newExtension();
    const person = await world.person();
    const { monday, wednesday } = world.week();
    const externalId = `mine-${monday}`;
    const creation = (
      await absence(world, firstExtension.api, person, {
        start_date: monday,
        end_date: wednesday,
        external_id: externalId,
      })
    ).is(201);
    (await absence(world, secondExtension.api, person, { external_id: externalId })).is(201);
    const foreignLeave = await eventually(async () => {
      const leaves = await leavesOf(secondExtension.api, person, new Date(Date.now() - 60_000).toISOString());
      return leaves.find((leave) => at(leave, 'id') === creation.get('id'));
    }, 'the other extension sees the absence');
    equal(at(foreignLeave, 'external_id'), undefined, 'external_id seen by another extension');
  },
});
