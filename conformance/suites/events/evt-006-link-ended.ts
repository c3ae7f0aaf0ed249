import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { envelope, eventually, pull } from '../support.js';

export default requirement({
  id: 'EVT-006',
  suite: 'events',
  level: 'must',
  says: 'The end of a link is an event with its reason.',
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const tokens = await app.link(session, ['read:clock_states']);
    const api = world.bearer(app.registered.key);
    const position = await envelope(api);
    (await app.revoke(tokens.refresh)).is(200);
    const endEvent = await eventually(
      async () => (await pull(api, position)).find((event) => at(event, 'type') === 'link.ended'),
      'the event is listed',
    );
    equal(at(endEvent, 'data.reason'), 'revoked_by_app', 'data.reason');
  },
});
