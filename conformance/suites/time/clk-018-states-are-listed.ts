import { at } from '../../kit/json.js';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { allRows, clock } from '../support.js';

export default requirement({
  id: 'CLK-018',
  suite: 'time',
  level: 'must',
  says: 'The clock state can be read for one person and by state, with the scope read:clock_states only.',
  covers: ['The clock state of a person is read from /clock/states.', '/clock/states needs read:clock_states.'],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    (await clock(api, person, 'in')).is(200);
    const page = (await api.get(`/api/v1/clock/states?user_id=${person.id}`)).is(200);
    equal(page.list('data').length, 1, 'states of one person');
    equal(page.get('data.0.state'), 'in', 'state');
    const statesIn = await allRows(api, '/api/v1/clock/states?state=in');
    ensure(
      statesIn.some((state) => at(state, 'user_id') === person.id),
      'state=in misses somebody who is in',
    );
    const statesOut = await allRows(api, '/api/v1/clock/states?state=out');
    ensure(!statesOut.some((state) => at(state, 'user_id') === person.id), 'state=out lists somebody who is in');
    const userReader = await world.newExtension({ scopes: ['read:users'] });
    (await userReader.api.get('/api/v1/clock/states')).is(403, 'insufficient_scope');
  },
});
