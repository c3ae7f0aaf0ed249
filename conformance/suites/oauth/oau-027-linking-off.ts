import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-027',
  suite: 'oauth',
  level: 'must',
  says: 'An extension that people may not link gets a page at authorize, and switching linking off ends its links.',
  covers: ['A switch per extension lets people link it.'],
  async check(world) {
    const app = await world.app();
    const admin = await world.admin();
    const { browser } = await world.signedIn();
    const { access } = await app.link(browser, ['read:clock_states']);
    (await admin.patch(`/app/admin/extensions/${app.registered.id}`, { linking: false })).is(200);
    (await world.bearer(access).get('/api/v1/me')).is(401, 'token_revoked');
    const answer = await browser.call('GET', app.authorizePath(app.newVerifier()));
    ensure(!(answer.header('location') ?? '').includes('cns_'), 'the person is asked although linking is off');
  },
});
