import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-020',
  suite: 'oauth',
  level: 'must',
  says: '/me takes only the token of a link and shows the person, the link and the kinds of absence with their rules.',
  covers: [
    '/me takes the token of a link and gives its person with absence_types.',
    '/me carries link, clock state and the kinds of absence with their rules.',
  ],
  async check(world) {
    const app = await world.app();
    const { session, id } = await world.signedIn();
    const { access } = await app.link(session, ['read:clock_states']);
    const me = (await world.bearer(access).get('/api/v1/me')).is(200);
    equal(me.get('id'), id, 'id');
    ensure(
      me.list('absence_types').some((type) => at(type, 'key') === 'vacation'),
      'absence_types misses vacation',
    );
    for (const type of me.list('absence_types'))
      for (const rule of ['half_day', 'requires_approval', 'counts_as_vacation'])
        ensure(typeof at(type, rule) === 'boolean', `${String(at(type, 'key'))} misses ${rule}`);
    equal(me.get('link.extension.id'), app.registered.id, 'link.extension.id');
    const { api } = await world.extension();
    (await api.get('/api/v1/me')).is(403, 'wrong_credential_kind');
  },
});
