import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-016',
  suite: 'security',
  level: 'must',
  says: 'The key of a deactivated company is refused with 403 company_inactive and works again when the company is active.',
  async check(world) {
    const admin = await world.admin();
    const made = (
      await admin.post('/app/admin/companies', {
        name: `Asleep ${Date.now()}`,
        time_zone: 'Europe/Berlin',
        country: 'DE',
      })
    ).is(201);
    const id = made.number('id');
    const { api } = await world.newExtension({ company_id: id });
    (await api.get('/api/v1/companies')).is(200);
    (await admin.patch(`/app/admin/companies/${id}`, { active: false })).is(200);
    (await api.get('/api/v1/companies')).is(403, 'company_inactive');
    (await api.get('/api/v1/events')).is(403, 'company_inactive');
    (await admin.patch(`/app/admin/companies/${id}`, { active: true })).is(200);
    (await api.get('/api/v1/companies')).is(200);
    (await admin.patch(`/app/admin/companies/${id}`, { active: false })).is(200);
  },
});
