import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-015',
  suite: 'absences',
  level: 'must',
  says: 'Creating, changing and deleting without write:absences is refused with 403 insufficient_scope.',
  covers: ['Creating, changing and deleting absences needs write:absences.'],
  async check(world) {
    const { api } = await world.newExtension({ scopes: ['read:leave_entries', 'write:clock'] });
    const person = await world.person();
    (await absence(world, api, person)).is(403, 'insufficient_scope');
    (await api.patch('/api/v1/absences/1', { comment: 'x' })).is(403, 'insufficient_scope');
    (await api.delete('/api/v1/absences/1')).is(403, 'insufficient_scope');
  },
});
