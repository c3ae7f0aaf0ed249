import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-027',
  suite: 'oauth',
  level: 'must',
  says: 'An extension that people may not link gets a page at authorize, and switching linking off ends its links.',
  covers: ['A switch per extension lets people link it.'],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const { access } = await app.link(session, ['read:clock_states']);
    await world.fixtures.changeExtension(app.registered.id, { linking: false });
    (await world.bearer(access).get('/api/v1/me')).is(401, 'token_revoked');
    const { question } = await app.authorize(session, app.newVerifier());
    ensure(question === undefined, 'the person is asked although linking is off');
  },
});
