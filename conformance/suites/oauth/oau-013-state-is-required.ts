import { ensure, requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-013',
  suite: 'oauth',
  level: 'must',
  says: 'authorize without state gives no code and does not ask the person.',
  covers: ['D5.1', 'T4.13'],
  async check(world) {
    const app = await world.app();
    const { browser } = await world.signedIn();
    const answer = await browser.call('GET', app.authorizePath(app.newVerifier(), { state: undefined }));
    const location = answer.header('location') ?? '';
    ensure(!location.includes('cns_') && !location.includes('code='), `it went on to ${location}`);
  },
});
