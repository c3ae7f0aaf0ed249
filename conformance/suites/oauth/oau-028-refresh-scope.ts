import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-028',
  suite: 'oauth',
  level: 'must',
  says: 'A renewal may narrow the permissions, and never widens them.',
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const tokens = await app.link(session, ['read:clock_states']);
    const answer = await app.token({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh,
      scope: 'read:clock_states write:clock',
    });
    answer.is(400, 'invalid_scope');
  },
});
