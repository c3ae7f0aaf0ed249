import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-010',
  suite: 'absences',
  level: 'must',
  says: 'Only a leading extension changes an approved absence; for others, deleting it requests the cancellation with 202.',
  covers: [
    'Deleting an approved absence requests its cancellation and answers 202.',
    'An absence whose cancellation was requested counts as approved until it is granted.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const creation = (await absence(world, api, person)).is(201);
    const id = creation.number('id');
    const company = await world.company();
    await world.fixtures.approveAbsence({ id, company_id: company.id, user_id: person.id });
    (await api.patch(`/api/v1/absences/${id}`, { comment: 'late' })).is(409, 'absence_not_changeable');
    const deletion = (await api.delete(`/api/v1/absences/${id}`)).is(202);
    equal(deletion.get('status'), 'cancellation_requested', 'status');
    (await api.delete(`/api/v1/absences/${id}`)).is(409, 'absence_not_changeable');
    const period = (
      await api.get(
        `/api/v1/time/leaves?from=${creation.string('start_date')}&to=${creation.string('end_date')}&user_id=${person.id}`,
      )
    ).is(200);
    ensure(
      period.list('data').some((leave) => at(leave, 'id') === id),
      'until the cancellation is granted the absence counts as approved',
    );
  },
});
