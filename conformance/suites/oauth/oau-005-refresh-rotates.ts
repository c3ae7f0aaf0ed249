import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-005',
  suite: 'oauth',
  level: 'must',
  says: "A refresh token gives new tokens; the old access token's link goes on with the new ones.",
  covers: ['A refresh token is used once and gives new tokens.'],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const tokens = await app.link(session, ['read:clock_states']);
    const answer = (await app.refresh(tokens.refresh)).is(200);
    ensure(answer.string('access_token') !== tokens.access, 'the access token stayed the same');
    ensure(answer.string('refresh_token') !== tokens.refresh, 'the refresh token stayed the same');
    (await world.bearer(answer.string('access_token')).get('/api/v1/me')).is(200);
  },
});
