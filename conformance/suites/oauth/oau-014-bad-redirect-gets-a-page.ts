import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-014',
  suite: 'oauth',
  level: 'must',
  says: 'A client or redirect address that is not registered exactly gets a page with 400, never a redirect.',
  covers: ['A bad client or redirect address gets a page, never a redirect.'],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const { redirectUri } = app.registered;
    const redirects = [
      `${redirectUri}/`,
      `${redirectUri}?x=1`,
      redirectUri.replace('app.', 'App.'),
      `${redirectUri}#x`,
      'https://evil.example/callback',
      redirectUri.replace('https', 'http'),
    ];
    for (const redirect of redirects) {
      const { answer } = await app.authorize(session, app.newVerifier(), { redirect_uri: redirect });
      equal(answer.status, 400, `status with ${redirect}`);
      equal(answer.header('location'), undefined, 'Location');
    }
    const unknownClient = { client_id: 'cli_AAAAAAAAAAAAAAAAAAAA' };
    const answerToUnknown = await app.authorize(session, app.newVerifier(), unknownClient);
    equal(answerToUnknown.answer.status, 400, 'status with an unknown client');
  },
});
