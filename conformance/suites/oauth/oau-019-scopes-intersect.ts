import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-019',
  suite: 'oauth',
  level: 'must',
  says: 'A link holds only what the key still holds: a scope taken from the key stops at once.',
  covers: [
    'A link has five permissions to choose from, and holds only what the person granted and the key still holds.',
  ],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const { access } = await app.link(session, ['read:clock_states', 'write:clock']);
    const me = world.bearer(access);
    (await me.get('/api/v1/clock/states')).is(200);
    await world.fixtures.changeExtension(app.registered.id, { scopes: ['write:clock'] });
    (await me.get('/api/v1/clock/states')).is(403, 'insufficient_scope');
  },
});
