import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-021',
  suite: 'oauth',
  level: 'must',
  says: 'The app ends a link with either token; an unknown token is answered with 200 too.',
  covers: [
    '/oauth/revoke ends a link.',
    'Revoking answers 200 for unknown tokens, 401 for unknown clients; either token ends the link.',
  ],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    for (const kind of ['access', 'refresh'] as const) {
      const tokens = await app.link(session, ['read:clock_states']);
      (await app.revoke(tokens[kind])).is(200);
      (await world.bearer(tokens.access).get('/api/v1/me')).is(401, 'token_revoked');
      (await app.refresh(tokens.refresh)).is(400, 'invalid_grant');
    }
    (await app.revoke('cpr_nobodyknowsthis')).is(200);
  },
});
