import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-003',
  suite: 'oauth',
  level: 'must',
  says: 'A code used twice is refused with invalid_grant and ends the link that came of it.',
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const verifier = app.newVerifier();
    const code = (await app.consent(session, verifier, ['read:clock_states'])).searchParams.get('code') ?? '';
    const tokens = (await app.exchange(code, verifier)).is(200);
    const me = world.bearer(tokens.string('access_token'));
    (await me.get('/api/v1/me')).is(200);
    (await app.exchange(code, verifier)).is(400, 'invalid_grant');
    (await me.get('/api/v1/me')).is(401, 'token_revoked');
  },
});
