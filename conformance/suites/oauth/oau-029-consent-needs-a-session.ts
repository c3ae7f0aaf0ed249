import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-029',
  suite: 'oauth',
  level: 'must',
  says: 'The consent of one person cannot be seen or decided by another, nor without a session.',
  covers: ['The person signs in with a second factor to consent.'],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const otherSession = await world.signedIn(1);
    const pages = await world.pages();
    const id = await app.ask(session, app.newVerifier());
    equal(
      (await pages.browserOf(otherSession.session).get(`/app/consent/${id}`)).status,
      404,
      'status for another person',
    );
    equal((await world.stranger().get(`/app/consent/${id}`)).status, 401, 'status without a session');
  },
});
