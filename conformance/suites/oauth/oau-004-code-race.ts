import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-004',
  suite: 'oauth',
  level: 'must',
  says: 'Of twelve parallel exchanges of one code at most one succeeds, none gets a 5xx, and no token works afterwards.',
  limit: 60,
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const verifier = app.newVerifier();
    const code = (await app.consent(session, verifier, ['read:clock_states'])).searchParams.get('code') ?? '';
    const answers = await Promise.all(Array.from({ length: 12 }, () => app.exchange(code, verifier)));
    const successes = answers.filter(({ status }) => status === 200);
    ensure(successes.length <= 1, `${successes.length} exchanges succeeded`);
    ensure(
      answers.every(({ status }) => status < 500),
      'an exchange got a 5xx',
    );
    for (const answer of successes)
      (await world.bearer(answer.string('access_token')).get('/api/v1/me')).is(401, 'token_revoked');
  },
});
