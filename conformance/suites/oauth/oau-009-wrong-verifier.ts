import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-009',
  suite: 'oauth',
  level: 'must',
  says: 'A code is not exchanged with another verifier, and not without one.',
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const verifier = app.newVerifier();
    const code = (await app.consent(session, verifier, ['read:clock_states'])).searchParams.get('code') ?? '';
    (await app.exchange(code, app.newVerifier())).is(400, 'invalid_grant');
    const secondCode = (await app.consent(session, verifier, ['read:clock_states'])).searchParams.get('code') ?? '';
    const answer = await app.token({
      grant_type: 'authorization_code',
      code: secondCode,
      redirect_uri: app.registered.redirectUri,
    });
    equal(answer.status, 400, 'status without code_verifier');
  },
});
