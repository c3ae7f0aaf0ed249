import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-023',
  suite: 'oauth',
  level: 'must',
  says: 'The person ends a link under Linked apps.',
  covers: ['The app ends a link at /oauth/revoke, the person under Linked apps.'],
  async check(world) {
    const app = await world.app();
    const { browser } = await world.signedIn();
    const { access } = await app.link(browser, ['read:clock_states']);
    const link = (await world.bearer(access).get('/api/v1/me')).is(200).string('link.id');
    const apps = (await browser.get('/app/linked-apps')).is(200);
    ensure(JSON.stringify(apps.json).includes(link), 'the link is not listed under Linked apps');
    (await browser.delete(`/app/linked-apps/${link}`)).is(204);
    (await world.bearer(access).get('/api/v1/me')).is(401, 'token_revoked');
  },
});
