import { equal, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-032',
  suite: 'security',
  level: 'must',
  says: 'Without extensions the admin pages and the event connection answer 404 and reading goes on.',
  covers: [
    'EXTENSIONS_ENABLED=false hides /admin/extensions and the event connection and stops webhooks, writes and links; reading goes on.',
  ],
  async check(world) {
    const status = (await world.open.get('/api/v1/status')).is(200);
    if (status.get('features.extensions') !== false)
      throw new Skipped('extensions are enabled here; point the kit at a deployment with EXTENSIONS_ENABLED=false');
    equal((await world.open.get('/admin/extensions')).status, 404, 'GET /admin/extensions');
    equal((await world.open.get('/api/v1/extension/connect')).status, 404, 'GET /api/v1/extension/connect');
  },
});
