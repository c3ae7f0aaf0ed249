import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-017',
  suite: 'oauth',
  level: 'must',
  says: 'A person who declines sends access_denied to the app, and no code.',
  async check(world) {
    const app = await world.app();
    const { browser } = await world.signedIn();
    const { id } = await app.ask(browser, app.newVerifier());
    const decided = (await browser.post(`/app/consent/${id}`, { decision: 'deny', scopes: [] })).is(200);
    const back = new URL(decided.string('redirect_to')).searchParams;
    equal(back.get('error'), 'access_denied', 'error');
    equal(back.get('code'), null, 'code');
  },
});
