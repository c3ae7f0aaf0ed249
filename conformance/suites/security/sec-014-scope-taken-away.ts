import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-014',
  suite: 'security',
  level: 'must',
  says: 'A scope that is taken from a key stops working with the next request.',
  covers: ['Scopes are read at every request: one that is taken away stops working at once.'],
  async check(world) {
    const extension = await world.newExtension();
    (await extension.api.get('/api/v1/users?limit=1')).is(200);
    await world.fixtures.changeExtension(extension.id, { scopes: ['read:clock_states'] });
    (await extension.api.get('/api/v1/users?limit=1')).is(403, 'insufficient_scope');
  },
});
