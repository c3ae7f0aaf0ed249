import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-016',
  suite: 'security',
  level: 'must',
  says: 'The key of a deactivated company is refused with 403 company_inactive and works again when the company is active.',
  async check(world) {
    const { id } = await world.newCompany('Asleep');
    const { api } = await world.newExtension({ company_id: id });
    (await api.get('/api/v1/companies')).is(200);
    await world.fixtures.setCompanyActive(id, false);
    (await api.get('/api/v1/companies')).is(403, 'company_inactive');
    (await api.get('/api/v1/events')).is(403, 'company_inactive');
    await world.fixtures.setCompanyActive(id, true);
    (await api.get('/api/v1/companies')).is(200);
  },
});
