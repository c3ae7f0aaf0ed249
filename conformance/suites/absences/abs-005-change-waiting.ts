import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-005',
  suite: 'absences',
  level: 'must',
  says: 'A waiting absence is changed by the extension that created it, member by member.',
  covers: ['PATCH and DELETE work only for absences that the calling extension created.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const { monday, wednesday, friday } = world.week();
    const creation = (
      await absence(world, api, person, { start_date: monday, end_date: wednesday, comment: 'before' })
    ).is(201);
    const path = `/api/v1/absences/${creation.number('id')}`;
    const change = (await api.patch(path, { end_date: friday })).is(200);
    equal(change.get('end_date'), friday, 'end_date');
    equal(change.get('comment'), 'before', 'comment, which was not sent');
    equal(change.get('status'), 'waiting', 'status');
    const withoutComment = (await api.patch(path, { comment: null })).is(200);
    equal(withoutComment.get('comment'), undefined, 'comment after null');
  },
});
