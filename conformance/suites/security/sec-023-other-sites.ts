import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-023',
  suite: 'security',
  level: 'must',
  says: 'Requests of the web application from another site are refused.',
  async check(world) {
    const pages = await world.pages();
    const browser = pages.browserOf((await world.signedIn()).session);
    const answer = await browser.call('POST', '/app/me/clock/in', {
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    });
    answer.is(403, 'origin_refused');
  },
});
