import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-011',
  suite: 'oauth',
  level: 'must',
  says: 'A code or refresh token of one app is refused from another with invalid_grant.',
  covers: ['/oauth/token takes HTTP Basic with client ID and key, for codes and refresh tokens.'],
  async check(world) {
    const app = await world.app();
    const otherApp = await world.app();
    const { session } = await world.signedIn();
    const verifier = app.newVerifier();
    const code = (await app.consent(session, verifier, ['read:clock_states'])).searchParams.get('code') ?? '';
    (await otherApp.exchange(code, verifier)).is(400, 'invalid_grant');
    const tokens = await app.link(session, ['read:clock_states']);
    (await otherApp.refresh(tokens.refresh)).is(400, 'invalid_grant');
  },
});
