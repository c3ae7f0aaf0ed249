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
    const admin = await world.admin();
    const { browser } = await world.signedIn();
    const { access } = await app.link(browser, ['read:clock_states', 'write:clock']);
    const me = world.bearer(access);
    (await me.get('/api/v1/clock/states')).is(200);
    (await admin.patch(`/app/admin/extensions/${app.registered.id}`, { scopes: ['write:clock'] })).is(200);
    (await me.get('/api/v1/clock/states')).is(403, 'insufficient_scope');
  },
});
