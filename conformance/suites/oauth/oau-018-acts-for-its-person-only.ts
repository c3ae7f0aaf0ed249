import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { linkScopes } from '../../kit/world.js';

export default requirement({
  id: 'OAU-018',
  suite: 'oauth',
  level: 'must',
  says: 'A link acts for its person without user_id; naming anybody is refused and changes nothing.',
  covers: ['A link acts only for the person who linked.'],
  async check(world) {
    const app = await world.app();
    const { session, id } = await world.signedIn();
    const { access } = await app.link(session, linkScopes);
    const me = world.bearer(access);
    await me.post('/api/v1/clock/out');
    const otherPerson = await world.person();
    for (const user of [otherPerson.id, id]) (await me.post('/api/v1/clock/in', { user_id: user })).is(400);
    const state = (await me.get('/api/v1/me')).is(200);
    equal(state.get('clock_state.state'), 'out', 'the state after the refusals');
    const answer = (await me.post('/api/v1/clock/in')).is(200);
    equal(answer.get('time_entry.user_id'), id, 'the person of the entry');
    equal(answer.get('time_entry.source.kind'), 'personal_link', 'source.kind');
    (await me.post('/api/v1/clock/out', {})).is(200);
  },
});
