import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-010',
  suite: 'oauth',
  level: 'must',
  says: 'A code is not exchanged with another redirect_uri than it was asked with.',
  covers: ['A code is exchanged only with its redirect_uri and code_verifier.'],
  async check(world) {
    const app = await world.app({ redirect_uris: ['https://app.example/callback', 'https://app.example/other'] });
    const { session } = await world.signedIn();
    const verifier = app.newVerifier();
    const code = (await app.consent(session, verifier, ['read:clock_states'])).searchParams.get('code') ?? '';
    (await app.exchange(code, verifier, { redirect_uri: 'https://app.example/other' })).is(400, 'invalid_grant');
  },
});
