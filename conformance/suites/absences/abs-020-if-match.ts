import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-020',
  suite: 'absences',
  level: 'must',
  says: 'If-Match with another version is refused with 412 precondition_failed; the newest version is accepted.',
  covers: ['201 with Location; PATCH is a merge patch; If-Match decides 412.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const creation = (await absence(world, api, person)).is(201);
    const path = `/api/v1/absences/${creation.number('id')}`;
    const change = (
      await api.patch(path, { comment: 'one' }, { headers: { 'if-match': creation.header('etag') ?? '' } })
    ).is(200);
    (await api.patch(path, { comment: 'two' }, { headers: { 'if-match': creation.header('etag') ?? '' } })).is(
      412,
      'precondition_failed',
    );
    (await api.delete(path, { headers: { 'if-match': creation.header('etag') ?? '' } })).is(412, 'precondition_failed');
    (await api.delete(path, { headers: { 'if-match': change.header('etag') ?? '' } })).is(200);
  },
});
