import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-023',
  suite: 'oauth',
  level: 'must',
  says: 'The person ends a link under Linked apps.',
  covers: ['The app ends a link at /oauth/revoke, the person under Linked apps.'],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const { access } = await app.link(session, ['read:clock_states']);
    const link = (await world.bearer(access).get('/api/v1/me')).is(200).string('link.id');
    const links = await world.fixtures.listLinks(session);
    ensure(
      links.some(({ id }) => id === link),
      'the link is not listed under Linked apps',
    );
    await world.fixtures.endLink(session, link);
    (await world.bearer(access).get('/api/v1/me')).is(401, 'token_revoked');
  },
});
