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
    const rotation = await world.fixtures.rotateKey(extension.id);
    const newClient = world.bearer(rotation);
    (await newClient.get('/api/v1/companies')).is(200);
    (await extension.api.get('/api/v1/companies')).is(200);
    await world.fixtures.endOldKey(extension.id);
    (await extension.api.get('/api/v1/companies')).is(401, 'token_revoked');
    (await newClient.get('/api/v1/companies')).is(200);
    const shownExtension = await world.fixtures.showExtension(extension.id);
    ensure(!shownExtension.text.includes(rotation), 'the page shows the key again');
  },
});
