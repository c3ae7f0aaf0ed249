import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-007',
  suite: 'oauth',
  level: 'must',
  says: 'Of twelve parallel uses of a refresh token at most one succeeds, and the link is over.',
  covers: [
    'A code or refresh token used twice ends the link, whichever is first; at most one of many parallel exchanges succeeds.',
  ],
  limit: 60,
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const tokens = await app.link(session, ['read:clock_states']);
    const answers = await Promise.all(Array.from({ length: 12 }, () => app.refresh(tokens.refresh)));
    const successes = answers.filter(({ status }) => status === 200);
    ensure(successes.length <= 1, `${successes.length} uses succeeded`);
    ensure(
      answers.every(({ status }) => status < 500),
      'one got a 5xx',
    );
    for (const answer of successes)
      (await world.bearer(answer.string('access_token')).get('/api/v1/me')).is(401, 'token_revoked');
  },
});
