import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'ABS-025',
  suite: 'absences',
  level: 'must',
  says: 'Leaves and removed leaves need read:leave_entries.',
  async check(world) {
    const { today } = await world.company();
    const { api } = await world.newExtension({ scopes: ['write:absences'] });
    (await api.get(`/api/v1/time/leaves?from=${today()}&to=${today()}`)).is(403, 'insufficient_scope');
    (await api.get(`/api/v1/time/leaves/removed?since=${today()}`)).is(403, 'insufficient_scope');
  },
});
