import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-015',
  suite: 'security',
  level: 'must',
  says: 'A rotated key works at once, the old one until its overlap is ended, then it is refused with token_revoked.',
  covers: ['Keys can be rotated with an overlap, shown once.'],
  async check(world) {
    const extension = await world.newExtension();
    const admin = await world.admin();
    const rotated = (await admin.post(`/app/admin/extensions/${extension.id}/key`, { overlap_hours: 1 })).is(201);
    const fresh = world.bearer(rotated.string('key'));
    (await fresh.get('/api/v1/companies')).is(200);
    (await extension.api.get('/api/v1/companies')).is(200);
    (await admin.delete(`/app/admin/extensions/${extension.id}/previous-key`)).is(204);
    (await extension.api.get('/api/v1/companies')).is(401, 'token_revoked');
    (await fresh.get('/api/v1/companies')).is(200);
    const shown = (await admin.get(`/app/admin/extensions/${extension.id}`)).is(200);
    ensure(!shown.text.includes(rotated.string('key')), 'the page shows the key again');
  },
});
