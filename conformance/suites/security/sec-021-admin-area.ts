import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-021',
  suite: 'security',
  level: 'must',
  says: 'The admin area refuses employees with 403 and strangers with 401.',
  covers: [
    'An integration is one API key, its scopes and one connection mode; super admins manage it at /admin/extensions.',
  ],
  async check(world) {
    const pages = await world.pages();
    const browser = pages.browserOf((await world.signedIn()).session);
    const ofExtensions = (await world.hasExtensions()) ? ['/app/admin/extensions', '/app/admin/access'] : [];
    for (const path of [...ofExtensions, '/app/admin/companies']) {
      (await browser.get(path)).is(403);
      (await world.stranger().get(path)).is(401);
    }
  },
});
