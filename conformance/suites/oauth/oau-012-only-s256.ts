import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-012',
  suite: 'oauth',
  level: 'must',
  says: 'authorize refuses plain challenges, missing challenges and other response types; the redirect says so, without a code.',
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const cases: readonly (readonly [Record<string, string | undefined>, string])[] = [
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ scope: 'read:everything' }, 'invalid_scope'],
    ];
    for (const [more, error] of cases) {
      const { answer } = await app.authorize(session, app.newVerifier(), more);
      equal(answer.status, 303, `status with ${JSON.stringify(more)}`);
      const location = new URL(answer.header('location') ?? '', world.target.service.url);
      ensure(location.href.startsWith(app.registered.redirectUri), `the redirect goes to ${location.href}`);
      equal(location.searchParams.get('error'), error, `error with ${JSON.stringify(more)}`);
      equal(location.searchParams.get('code'), null, 'code');
    }
  },
});
