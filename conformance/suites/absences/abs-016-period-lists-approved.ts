import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, eventually, leavesOf } from '../support.js';

export default requirement({
  id: 'ABS-016',
  suite: 'absences',
  level: 'must',
  says: 'A period lists approved absences only; updated_since lists every state.',
  covers: [
    '/time/leaves with updated_since lists absences in every state, in pages, with next_updated_since for the next sync.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const leadingExtension = await world.newExtension({ absences_count_as_approved: true });
    const person = await world.person();
    const { monday, wednesday, friday } = world.week();
    const since = new Date(Date.now() - 60_000).toISOString();
    const waitingAbsence = (await absence(world, api, person, { start_date: monday, end_date: monday }))
      .is(201)
      .get('id');
    const approvedAbsence = (
      await absence(world, leadingExtension.api, person, { start_date: wednesday, end_date: friday })
    )
      .is(201)
      .get('id');
    const period = (await api.get(`/api/v1/time/leaves?from=${monday}&to=${friday}&user_id=${person.id}`))
      .is(200)
      .list('data');
    equal(
      period.map((leave) => at(leave, 'id')),
      [approvedAbsence],
      'the period',
    );
    await eventually(async () => {
      const changedIds = (await leavesOf(api, person, since)).map((leave) => at(leave, 'id'));
      return changedIds.includes(waitingAbsence) && changedIds.includes(approvedAbsence) ? true : undefined;
    }, 'updated_since lists both states');
  },
});
