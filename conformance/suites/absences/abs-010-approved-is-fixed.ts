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
    const admin = await world.admin();
    const person = await world.person();
    const made = (await absence(world, api, person)).is(201);
    const id = made.number('id');
    const company = await world.company();
    const waiting = (await admin.get(`/app/approvals?state=waiting&company_id=${company.id}&user_id=${person.id}`))
      .is(200)
      .list('data');
    const approval = waiting.find((request) => at(request, 'absence.id') === id);
    ensure(approval !== undefined, 'the approvers do not see the request');
    (await admin.post(`/app/approvals/${String(at(approval, 'id'))}/approve`, {})).is(200);
    (await api.patch(`/api/v1/absences/${id}`, { comment: 'late' })).is(409, 'absence_not_changeable');
    const deleted = (await api.delete(`/api/v1/absences/${id}`)).is(202);
    equal(deleted.get('status'), 'cancellation_requested', 'status');
    (await api.delete(`/api/v1/absences/${id}`)).is(409, 'absence_not_changeable');
    const period = (
      await api.get(
        `/api/v1/time/leaves?from=${made.string('start_date')}&to=${made.string('end_date')}&user_id=${person.id}`,
      )
    ).is(200);
    ensure(
      period.list('data').some((leave) => at(leave, 'id') === id),
      'until the cancellation is granted the absence counts as approved',
    );
  },
});
