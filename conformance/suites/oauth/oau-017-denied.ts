import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-017',
  suite: 'oauth',
  level: 'must',
  says: 'A person who declines sends access_denied to the app, and no code.',
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const question = await app.ask(session, app.newVerifier());
    const parameters = new URL(await world.fixtures.decideConsent(session, question, 'declined')).searchParams;
    equal(parameters.get('error'), 'access_denied', 'error');
    equal(parameters.get('code'), null, 'code');
  },
});
