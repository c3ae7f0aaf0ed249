import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-024',
  suite: 'oauth',
  level: 'must',
  says: 'The lifetime of links is a whole number from 30 to 365 days.',
  covers: [
    'The lifetime of links is 30 to 365 days, set per extension.',
    'A link expires after its lifetime, and the person must consent again.',
    'A link lives 30 to 365 days.',
  ],
  async check(world) {
    const admin = await world.admin();
    const app = await world.app();
    const path = `/app/admin/extensions/${app.registered.id}`;
    for (const good of [30, 365]) (await admin.patch(path, { link_lifetime_days: good })).is(200);
    for (const bad of [29, 366, 0, 30.5, '90'])
      (await admin.patch(path, { link_lifetime_days: bad })).is(400, 'invalid_request');
  },
});
