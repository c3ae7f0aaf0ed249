import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-013',
  suite: 'oauth',
  level: 'must',
  says: 'authorize without state gives no code and does not ask the person.',
  covers: [
    '/oauth/authorize takes response_type, client_id, redirect_uri, code_challenge with S256, state and an optional scope, and returns the browser with code and state.',
  ],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const { answer, question } = await app.authorize(session, app.newVerifier(), { state: undefined });
    const location = answer.header('location') ?? '';
    ensure(question === undefined && !location.includes('code='), `it went on to ${location}`);
  },
});
