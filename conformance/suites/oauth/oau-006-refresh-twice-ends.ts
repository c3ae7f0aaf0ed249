import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-006',
  suite: 'oauth',
  level: 'must',
  says: 'A refresh token that comes again is refused with invalid_grant and ends the link, new tokens included.',
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const tokens = await app.link(session, ['read:clock_states']);
    const secondAnswer = (await app.refresh(tokens.refresh)).is(200);
    (await app.refresh(tokens.refresh)).is(400, 'invalid_grant');
    (await world.bearer(secondAnswer.string('access_token')).get('/api/v1/me')).is(401, 'token_revoked');
    (await app.refresh(secondAnswer.string('refresh_token'))).is(400, 'invalid_grant');
  },
});
