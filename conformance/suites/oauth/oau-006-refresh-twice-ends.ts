import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-006',
  suite: 'oauth',
  level: 'must',
  says: 'A refresh token that comes again is refused with invalid_grant and ends the link, new tokens included.',
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const first = await app.link(session, ['read:clock_states']);
    const second = (await app.refresh(first.refresh)).is(200);
    (await app.refresh(first.refresh)).is(400, 'invalid_grant');
    (await world.bearer(second.string('access_token')).get('/api/v1/me')).is(401, 'token_revoked');
    (await app.refresh(second.string('refresh_token'))).is(400, 'invalid_grant');
  },
});
