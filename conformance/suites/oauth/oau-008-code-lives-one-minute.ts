import { requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';

export default requirement({
  id: 'OAU-008',
  suite: 'oauth',
  level: 'must',
  says: 'A code is refused with invalid_grant after one minute.',
  covers: [
    'An authorization code is valid one minute and usable once.',
    'A code lives one minute and works once, an access token lives one hour, a refresh token works once.',
  ],
  waits: true,
  limit: 150,
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn(2);
    const verifier = app.newVerifier();
    const code = (await app.consent(session, verifier, ['read:clock_states'])).searchParams.get('code') ?? '';
    await pause(62_000);
    (await app.exchange(code, verifier)).is(400, 'invalid_grant');
  },
});
